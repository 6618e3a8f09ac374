-- +goose Up
-- +mintburn compatible_from 24
-- A view has the name of the set that an export writes. v_tokens stays for those who read it.
CREATE VIEW v_metadata AS SELECT * FROM v_tokens;
