-- +goose Up
-- PostgreSQL keeps long texts beside the row, so that their place in it does not
-- matter; SQLite's migration moves them to its end.
ALTER TABLE tokens ADD COLUMN uri_has_id boolean, ADD COLUMN text_bytes bigint;
UPDATE tokens SET uri_has_id = position('{id}' IN uri) > 0,
    text_bytes = coalesce(octet_length(name), 0) + coalesce(octet_length(background_color), 0) + coalesce(octet_length(external_url), 0) +
    coalesce(octet_length(youtube_url), 0) + coalesce(octet_length(animation_url), 0) + coalesce(octet_length(image), 0) +
    coalesce(octet_length(description), 0) + octet_length(attributes) + coalesce(octet_length(image_data), 0) +
    octet_length(uri) + octet_length(raw);
ALTER TABLE tokens ALTER COLUMN uri_has_id SET NOT NULL, ALTER COLUMN text_bytes SET NOT NULL;
