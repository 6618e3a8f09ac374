-- +goose Up
-- +mintburn compatible_from 18
-- SQLite walks the records of a collection in order by its address, as the views are.
SELECT 1;
