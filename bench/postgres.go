package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"mintburn/bench/hand"
)

// peerTable is a table as one would create it for PostGraphile: with values in the form
// of the answers, and an index for each workload.
const peerTable = `
	CREATE TABLE %[1]s (
		position bigint PRIMARY KEY, token_address text NOT NULL, contract_type text NOT NULL, token_id text NOT NULL,
		block_hash text NOT NULL, block_number integer NOT NULL, transaction_hash text NOT NULL, log_index integer NOT NULL,
		"from" text NOT NULL, "to" text NOT NULL, amount text NOT NULL, operator text, timestamp integer NOT NULL, block_time integer NOT NULL
	)`

const peerIndexes = `
	CREATE INDEX ON %[1]s (block_number, position);
	CREATE INDEX ON %[1]s (token_address, position);
	CREATE INDEX ON %[1]s (token_address, token_id, position);
	CREATE INDEX ON %[1]s (transaction_hash, position);
	CREATE INDEX ON %[1]s (token_address, block_time, position)`

const peerTokens = `
	CREATE TABLE tokens (
		id bigint PRIMARY KEY, collection_address text NOT NULL, collection_type text NOT NULL, token_id text NOT NULL, external_url text,
		image_data text, background_color text, youtube_url text, updated_at integer NOT NULL, name text, description text, image text,
		animation_url text, attributes jsonb NOT NULL
	)`

// peerFunctions are for lists of tokens, and for intervals without records.
var peerFunctions = []string{
	`ALTER TABLE mints ADD FOREIGN KEY (token_address) REFERENCES collections`,
	`CREATE TYPE token_key AS (address text, token_id text)`,
	`CREATE FUNCTION amounts_of(keys token_key[]) RETURNS SETOF amounts LANGUAGE sql STABLE AS $$
		SELECT amounts.* FROM unnest(keys) WITH ORDINALITY AS k (address, token_id, n) JOIN amounts USING (address, token_id) ORDER BY n $$`,
	`CREATE TYPE hour AS (from_time integer, total_items integer)`,
	`CREATE FUNCTION mint_hours(collection text, since integer, until integer) RETURNS SETOF hour LANGUAGE sql STABLE AS $$
		SELECT start, COALESCE(n, 0)::integer FROM generate_series(since / 3600 * 3600, until, 3600) AS start
		LEFT JOIN (SELECT block_time / 3600 * 3600 AS hour, COUNT(*) AS n FROM mints
			WHERE token_address = collection AND block_time BETWEEN since AND until GROUP BY 1) AS counted ON hour = start ORDER BY start $$`,
	`VACUUM ANALYZE`,
}

const peerTokenIndexes = `CREATE INDEX ON tokens (collection_address, id)`

// copyToPostgres fills an empty PostgreSQL database from the SQLite file at path.
func copyToPostgres(ctx context.Context, path, dsn string) (err error) {
	from, err := hand.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close(ctx)) }()
	for _, name := range []string{"mints", "burns"} {
		records := from.Records(ctx, name == "mints")
		if err := copyTable(ctx, to, name, fmt.Sprintf(peerTable, name), fmt.Sprintf(peerIndexes, name), peerColumns, records, recordRow); err != nil {
			return err
		}
	}
	view := fmt.Sprintf(records, "token_id", "amount::numeric", "")
	for _, statement := range slices.Concat([]string{view}, summaries(""), peerFunctions) {
		if _, err := to.Exec(ctx, statement); err != nil {
			return fmt.Errorf("summarising: %s: %w", statement, err)
		}
	}
	n := 0
	return copyTable(ctx, to, "tokens", peerTokens, peerTokenIndexes, peerTokenColumns, from.Tokens(ctx), func(t *hand.Token) []any {
		n++
		return tokenRow(n, t)
	})
}

// copyTable creates a table, copies the rows of items, and then creates indexes.
func copyTable[T any](ctx context.Context, to *pgx.Conn, name, create, index string, columns []string, items iter.Seq2[T, error], row func(T) []any) error {
	next, stop := iter.Pull2(items)
	defer stop()
	_, err := to.Exec(ctx, create)
	if err == nil {
		_, err = to.CopyFrom(ctx, pgx.Identifier{name}, columns, pgx.CopyFromFunc(func() ([]any, error) {
			item, err, ok := next()
			if !ok || err != nil {
				return nil, err
			}
			return row(item), nil
		}))
	}
	if err == nil {
		_, err = to.Exec(ctx, index)
	}
	if err == nil {
		// Otherwise counting would visit each row.
		_, err = to.Exec(ctx, "VACUUM ANALYZE "+name)
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", name, err)
	}
	return nil
}

var peerColumns = []string{"position", "token_address", "contract_type", "token_id", "block_hash", "block_number", "transaction_hash",
	"log_index", "from", "to", "amount", "operator", "timestamp", "block_time"}

func recordRow(r *hand.Transfer) []any {
	return []any{r.Position, r.TokenAddress, r.ContractType, r.TokenID, r.BlockHash, r.BlockNumber, r.TransactionHash, r.LogIndex,
		r.From, r.To, r.Amount, r.Operator, r.Timestamp, r.BlockTime}
}

var peerTokenColumns = []string{"id", "collection_address", "collection_type", "token_id", "external_url", "image_data", "background_color",
	"youtube_url", "updated_at", "name", "description", "image", "animation_url", "attributes"}

// tokenRow returns the row of the n-th token, in the order of token ids.
func tokenRow(n int, t *hand.Token) []any {
	return []any{n, t.CollectionAddress, t.CollectionType, t.TokenID, t.ExternalURL, t.ImageData, t.BackgroundColor, t.YoutubeURL,
		t.UpdatedAt, t.Name, t.Description, t.Image, t.AnimationURL, t.Attributes}
}
