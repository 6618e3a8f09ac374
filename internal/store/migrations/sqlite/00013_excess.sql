-- +goose Up
-- +mintburn compatible_from none
-- Older programs would leave the new columns as they are. derived.IntroduceExcess fills them,
-- because SQL can't add amounts.
ALTER TABLE contracts ADD COLUMN mint_excess blob;
ALTER TABLE contracts ADD COLUMN burn_excess blob;
