-- +goose Up
CREATE TABLE leases (
    id           text NOT NULL PRIMARY KEY,
    epoch        integer NOT NULL,
    holder       text NOT NULL,
    ends_at      integer NOT NULL,
    wanted_until integer NOT NULL
);
CREATE UNIQUE INDEX leases_id_epoch ON leases (id, epoch);
INSERT INTO leases VALUES ('writer', 0, '', 0, 0);
