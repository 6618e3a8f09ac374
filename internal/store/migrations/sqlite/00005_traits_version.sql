-- +goose Up
ALTER TABLE contracts ADD COLUMN traits_version integer NOT NULL DEFAULT 0;
