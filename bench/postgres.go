package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// peerTables are what one would let PostGraphile serve: texts as they are
// answered, and an index for each workload.
const peerTables = `
	CREATE TABLE %[1]s (
		position bigint PRIMARY KEY, token_address text NOT NULL, contract_type text NOT NULL, token_id text NOT NULL,
		block_hash text NOT NULL, block_number integer NOT NULL, transaction_hash text NOT NULL, log_index integer NOT NULL,
		"from" text NOT NULL, "to" text NOT NULL, amount text NOT NULL, operator text, timestamp integer NOT NULL, block_time integer NOT NULL
	)`

const peerIndexes = `
	CREATE INDEX ON %[1]s (block_number, position);
	CREATE INDEX ON %[1]s (token_address, position);
	CREATE INDEX ON %[1]s (token_address, token_id, position);
	CREATE INDEX ON %[1]s (transaction_hash, position)`

const peerTokens = `
	CREATE TABLE tokens (
		id bigint PRIMARY KEY, collection_address text NOT NULL, collection_type text NOT NULL, token_id text NOT NULL, external_url text,
		image_data text, background_color text, youtube_url text, updated_at integer NOT NULL, name text, description text, image text,
		animation_url text, attributes jsonb NOT NULL
	)`

const peerTokenIndexes = `CREATE INDEX ON tokens (collection_address, id)`

// copyToPostgres fills an empty PostgreSQL database from the SQLite file at
// path.
func copyToPostgres(ctx context.Context, path, dsn string) (err error) {
	from, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close(ctx)) }()
	for _, t := range []copied{
		{"mints", fmt.Sprintf(peerTables, "mints"), fmt.Sprintf(peerIndexes, "mints"), peerColumns, fmt.Sprintf(readRecords, "NULL", "mints"), mintRow},
		{"burns", fmt.Sprintf(peerTables, "burns"), fmt.Sprintf(peerIndexes, "burns"), peerColumns, fmt.Sprintf(readRecords, "t.burn_address", "burns"), burnRow},
		{"tokens", peerTokens, peerTokenIndexes, peerTokenColumns, readTokens, tokenRow},
	} {
		if err := t.copy(ctx, from, to); err != nil {
			return fmt.Errorf("copying %s: %w", t.name, err)
		}
	}
	return nil
}

// copied is a table that is copied.
type copied struct {
	name, create, index string
	columns             []string
	read                string
	row                 func(*sql.Rows) ([]any, error)
}

func (t copied) copy(ctx context.Context, from *sql.DB, to *pgx.Conn) (err error) {
	if _, err := to.Exec(ctx, t.create); err != nil {
		return err
	}
	rows, err := from.QueryContext(ctx, t.read)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if _, err := to.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromFunc(func() ([]any, error) {
		if !rows.Next() {
			return nil, rows.Err()
		}
		return t.row(rows)
	})); err != nil {
		return err
	}
	if _, err := to.Exec(ctx, t.index); err != nil {
		return err
	}
	// Without it totals would look at each row.
	_, err = to.Exec(ctx, "VACUUM ANALYZE "+t.name)
	return err
}

var peerColumns = []string{"position", "token_address", "contract_type", "token_id", "block_hash", "block_number", "transaction_hash",
	"log_index", "from", "to", "amount", "operator", "timestamp", "block_time"}

const readRecords = `SELECT t.id, c.address, t.token_id, t.tx_head, t.tx_tail, t.account_head, t.account_tail, t.amount, t.log_index,
	t.operator, b.hash_head, b.hash_tail, b.time, %s FROM %s t JOIN contracts c ON c.id = t.contract_id JOIN blocks b ON b.id = t.id >> 30`

func mintRow(rows *sql.Rows) ([]any, error) { return recordRow(rows, true) }
func burnRow(rows *sql.Rows) ([]any, error) { return recordRow(rows, false) }

func recordRow(rows *sql.Rows, minted bool) ([]any, error) {
	var pos, txHead, accountHead, index, hashHead, time int64
	var contract, txTail, accountTail, operator, hashTail, burnAddress []byte
	var id, amount evm.Uint256
	if err := rows.Scan(&pos, &contract, &id, &txHead, &txTail, &accountHead, &accountTail, &amount, &index,
		&operator, &hashHead, &hashTail, &time, &burnAddress); err != nil {
		return nil, err
	}
	typ, to := nft.ERC721, evm.Address{}.String()
	var by any
	if operator != nil {
		typ, by = nft.ERC1155, text(operator)
	}
	if burnAddress != nil {
		to = text(burnAddress)
	}
	from, hash, tx := text(joined(accountHead, accountTail)), text(joined(hashHead, hashTail)), text(joined(txHead, txTail))
	if minted {
		from, to = to, from
	}
	return []any{pos, text(contract), string(typ), id.String(), hash, pos >> 30, tx, index, from, to, amount.String(), by, time, time}, nil
}

func joined(head int64, tail []byte) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(head)), tail...)
}

func text(b []byte) string { return "0x" + hex.EncodeToString(b) }

var peerTokenColumns = []string{"id", "collection_address", "collection_type", "token_id", "external_url", "image_data", "background_color",
	"youtube_url", "updated_at", "name", "description", "image", "animation_url", "attributes"}

// The rows are numbered in the order of token ids.
const readTokens = `SELECT row_number() OVER (ORDER BY t.contract_id, t.token_id), c.address, c.shapes, t.token_id, t.external_url, t.image_data,
	t.background_color, t.youtube_url, t.updated_at, t.name, t.description, t.image, t.animation_url, t.attributes,
	(SELECT json_group_object(lower(hex(trait)), distinct_values) FROM traits WHERE contract_id = c.id)
	FROM tokens t JOIN contracts c ON c.id = t.contract_id`

func tokenRow(rows *sql.Rows) ([]any, error) {
	var n, shapes, updated int64
	var contract []byte
	var id evm.Uint256
	var texts [8]*string
	var stored, counted string
	if err := rows.Scan(&n, &contract, &shapes, &id, &texts[0], &texts[1], &texts[2], &texts[3], &updated,
		&texts[4], &texts[5], &texts[6], &texts[7], &stored, &counted); err != nil {
		return nil, err
	}
	var list []nft.Attribute
	var counts map[string]int64
	if err := errors.Join(json.Unmarshal([]byte(stored), &list), json.Unmarshal([]byte(counted), &counts)); err != nil {
		return nil, err
	}
	attributes := []map[string]any{}
	for _, a := range list {
		sum := sha256.Sum256([]byte(a.TraitType))
		attributes = append(attributes, map[string]any{"traitType": a.TraitType, "value": a.Value, "maxValue": a.MaxValue,
			"traitCount": counts[hex.EncodeToString(sum[:16])], "order": a.Order})
	}
	typ := nft.ERC721
	if shapes == 2 {
		typ = nft.ERC1155
	}
	return []any{n, text(contract), string(typ), id.String(), texts[0], texts[1], texts[2], texts[3], updated,
		texts[4], texts[5], texts[6], texts[7], attributes}, nil
}
