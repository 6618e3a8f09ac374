-- +goose Up
ALTER TABLE contracts ADD COLUMN traits_version bigint NOT NULL DEFAULT 0;
