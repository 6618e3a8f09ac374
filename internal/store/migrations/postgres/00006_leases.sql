-- +goose Up
CREATE TABLE leases (
    id           text NOT NULL PRIMARY KEY,
    epoch        bigint NOT NULL,
    holder       text NOT NULL,
    ends_at      bigint NOT NULL,
    wanted_until bigint NOT NULL
);
CREATE UNIQUE INDEX leases_id_epoch ON leases (id, epoch);
INSERT INTO leases VALUES ('writer', 0, '', 0, 0);
