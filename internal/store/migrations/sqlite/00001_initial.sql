-- +goose Up
-- A rowid ends every index of SQLite by itself, so that no index names id.
CREATE TABLE contracts (
    id      integer PRIMARY KEY,
    address blob    NOT NULL,
    shapes  integer NOT NULL DEFAULT 0,
    tokens  integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX contracts_address ON contracts (address);

CREATE TABLE mints (
    id           integer PRIMARY KEY,
    contract_id  integer NOT NULL,
    token_id     blob    NOT NULL,
    tx_head      integer NOT NULL,
    tx_tail      blob    NOT NULL,
    account_head integer NOT NULL,
    account_tail blob    NOT NULL,
    amount       blob    NOT NULL,
    log_index    integer NOT NULL,
    sub_index    integer NOT NULL,
    operator     blob
);
CREATE INDEX mints_contract ON mints (contract_id);
CREATE INDEX mints_token ON mints (contract_id, token_id);
CREATE INDEX mints_tx ON mints (tx_head);
CREATE INDEX mints_account ON mints (account_head);
CREATE INDEX mints_account_contract ON mints (account_head, contract_id);

CREATE TABLE burns (
    id           integer PRIMARY KEY,
    contract_id  integer NOT NULL,
    token_id     blob    NOT NULL,
    tx_head      integer NOT NULL,
    tx_tail      blob    NOT NULL,
    account_head integer NOT NULL,
    account_tail blob    NOT NULL,
    amount       blob    NOT NULL,
    log_index    integer NOT NULL,
    sub_index    integer NOT NULL,
    operator     blob,
    burn_address blob
);
CREATE INDEX burns_contract ON burns (contract_id);
CREATE INDEX burns_token ON burns (contract_id, token_id);
CREATE INDEX burns_tx ON burns (tx_head);
CREATE INDEX burns_account ON burns (account_head);
CREATE INDEX burns_account_contract ON burns (account_head, contract_id);

CREATE TABLE blocks (
    id          integer PRIMARY KEY,
    hash_head   integer NOT NULL,
    hash_tail   blob    NOT NULL,
    parent_hash blob,
    time        integer NOT NULL
);
CREATE INDEX blocks_hash ON blocks (hash_head);

CREATE TABLE orphaned_blocks (
    id          integer PRIMARY KEY,
    number      integer NOT NULL,
    hash        blob    NOT NULL,
    parent_hash blob    NOT NULL
);
CREATE UNIQUE INDEX orphaned_blocks_hash ON orphaned_blocks (hash);
CREATE INDEX orphaned_blocks_number ON orphaned_blocks (number);

CREATE TABLE coverage (
    id         integer PRIMARY KEY,
    kind       text    NOT NULL,
    from_block integer NOT NULL,
    to_block   integer NOT NULL
);
CREATE UNIQUE INDEX coverage_kind_from ON coverage (kind, from_block);

CREATE TABLE rejected_logs (
    id      integer PRIMARY KEY,
    address blob NOT NULL,
    tx_hash blob NOT NULL,
    topics  blob NOT NULL,
    data    blob NOT NULL,
    reason  text NOT NULL
);

CREATE TABLE counters (
    id     integer PRIMARY KEY,
    scope  blob    NOT NULL,
    level  integer NOT NULL,
    bucket integer NOT NULL,
    n      integer NOT NULL,
    split  boolean NOT NULL
);
CREATE UNIQUE INDEX counters_node ON counters (scope, level, bucket);

CREATE TABLE tokens (
    id               integer PRIMARY KEY,
    contract_id      integer NOT NULL,
    token_id         blob    NOT NULL,
    uri              text    NOT NULL,
    raw              text    NOT NULL,
    fetched_at       integer NOT NULL,
    updated_at       integer NOT NULL,
    name             text,
    description      text,
    image            text,
    external_url     text,
    image_data       text,
    background_color text,
    youtube_url      text,
    animation_url    text,
    attributes       text    NOT NULL
);
CREATE UNIQUE INDEX tokens_contract_token ON tokens (contract_id, token_id);

CREATE TABLE traits (
    id              integer PRIMARY KEY,
    contract_id     integer NOT NULL,
    trait           blob    NOT NULL,
    distinct_values integer NOT NULL
);
CREATE UNIQUE INDEX traits_contract_trait ON traits (contract_id, trait);

CREATE TABLE trait_values (
    id          integer PRIMARY KEY,
    contract_id integer NOT NULL,
    trait       blob    NOT NULL,
    value       blob    NOT NULL,
    n           integer NOT NULL
);
CREATE UNIQUE INDEX trait_values_contract_trait_value ON trait_values (contract_id, trait, value);

CREATE TABLE settings (
    id    text NOT NULL PRIMARY KEY,
    value text NOT NULL
);

CREATE TABLE resolutions (
    id          integer PRIMARY KEY,
    contract_id integer NOT NULL,
    token_id    blob    NOT NULL,
    shape       integer NOT NULL,
    state       text    NOT NULL,
    turn        integer,
    attempts    integer NOT NULL DEFAULT 0,
    uri         text,
    error       text,
    tried_at    integer,
    seen_block  integer
);
CREATE UNIQUE INDEX resolutions_contract_token ON resolutions (contract_id, token_id);
CREATE INDEX resolutions_turn ON resolutions (turn) WHERE turn IS NOT NULL;
CREATE INDEX resolutions_contract_turn ON resolutions (contract_id, turn) WHERE turn IS NOT NULL;

CREATE TABLE refreshes (
    id          integer PRIMARY KEY,
    block       integer NOT NULL,
    contract_id integer NOT NULL,
    first       blob    NOT NULL,
    last        blob    NOT NULL,
    next        blob
);
CREATE INDEX refreshes_block ON refreshes (block);
CREATE INDEX refreshes_next ON refreshes (next) WHERE next IS NOT NULL;
