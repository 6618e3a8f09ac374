-- +goose Up
-- +mintburn compatible_from none
-- Older programs would leave the new columns as they are. Package facet fills them in small
-- steps: contracts.traits is null until the documents of the collection are counted.
ALTER TABLE contracts ADD COLUMN traits integer;
ALTER TABLE traits ADD COLUMN name text NOT NULL DEFAULT '';
ALTER TABLE traits ADD COLUMN tokens integer NOT NULL DEFAULT 0;
ALTER TABLE trait_values ADD COLUMN text text NOT NULL DEFAULT '';
ALTER TABLE trait_values ADD COLUMN tokens integer NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN display_types text;
CREATE INDEX traits_name ON traits (contract_id, name, trait) WHERE tokens > 0;
CREATE INDEX trait_values_tokens ON trait_values (contract_id, trait, tokens DESC, text) WHERE tokens > 0;

-- The index of migrate --index-traits: the tokens with each value, a row of trait_values.
CREATE TABLE trait_tokens (
    value_id integer NOT NULL,
    token_id blob    NOT NULL,
    PRIMARY KEY (value_id, token_id)
) WITHOUT ROWID;

UPDATE contracts SET traits = 0 WHERE NOT EXISTS (SELECT 1 FROM tokens);
INSERT INTO settings (id, value) SELECT 'traits_counted', '{}' WHERE EXISTS (SELECT 1 FROM tokens);
