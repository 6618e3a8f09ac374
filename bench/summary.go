package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// summaries returns the statements that make the summary tables of the peers, for SQLite and
// PostgreSQL, from a view of all records. Their values are in the form of the answers. A
// generated collection has one standard, and its first record is a mint. storage ends the
// definition of a table.
func summaries(storage string) []string {
	return []string{
		`CREATE TABLE amounts (address text, token_id text, contract_type text, minted text, burned text, supply text, state text,
		PRIMARY KEY (address, token_id)) ` + storage,
		`INSERT INTO amounts SELECT token_address, token_id, contract_type, CAST(minted AS text), CAST(burned AS text),
		CASE WHEN minted >= burned THEN CAST(minted - burned AS text) END,
		CASE WHEN contract_type = 'ERC721' AND last_mint > last_burn OR contract_type = 'ERC1155' AND minted > burned THEN 'EXISTS'
			WHEN contract_type = 'ERC721' OR minted = burned THEN 'BURNED' ELSE 'UNKNOWN' END
		FROM (SELECT token_address, token_id, contract_type, SUM(minted) AS minted, SUM(burned) AS burned,
			MAX(is_mint * log) AS last_mint, MAX((1 - is_mint) * log) AS last_burn
			FROM records GROUP BY token_address, token_id, contract_type) AS sums ORDER BY 1, 2`,
		`CREATE TABLE collections (address text PRIMARY KEY, contract_type text, minted_items integer, burned_items integer, supply text,
		first_position bigint UNIQUE) ` + storage,
		`INSERT INTO collections SELECT token_address, contract_type, SUM(is_mint), SUM(1 - is_mint),
		CASE WHEN SUM(minted) >= SUM(burned) THEN CAST(SUM(minted) - SUM(burned) AS text) END, MIN(CASE is_mint WHEN 1 THEN position END)
		FROM records GROUP BY token_address, contract_type`,
	}
}

// records is the statement that makes the view, without the form of integers and the names
// of tables. Positions of mints and burns are numbered separately, so log orders both.
const records = `CREATE TEMPORARY VIEW records AS
	SELECT token_address, contract_type, position, position >> 30 << 30 | log_index AS log, 1 AS is_mint, %[1]s AS token_id, %[2]s AS minted, 0 AS burned FROM %[3]smints
	UNION ALL SELECT token_address, contract_type, position, position >> 30 << 30 | log_index, 0, %[1]s, 0, %[2]s FROM %[3]sburns`

// summarise makes the summary tables beside the SQLite file at path, unless they exist.
func summarise(ctx context.Context, path string) (err error) {
	file := path + summarySuffix
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	db, err := sql.Open("sqlite3", "file:"+file)
	if err != nil {
		return fmt.Errorf("opening the summary: %w", err)
	}
	// The attached database and the view belong to a connection.
	db.SetMaxOpenConns(1)
	defer func() {
		if err = errors.Join(err, db.Close()); err != nil {
			err = errors.Join(fmt.Errorf("summarising: %w", err), os.Remove(file))
		}
	}()
	if _, err := db.ExecContext(ctx, "ATTACH ? AS ours", "file:"+path+"?mode=ro"); err != nil {
		return err
	}
	view := fmt.Sprintf(records, "CAST(token_id_decimal AS text)", "amount_decimal", "ours.v_")
	_, err = db.ExecContext(ctx, strings.Join(append([]string{view}, summaries("WITHOUT ROWID")...), ";"))
	return err
}

// summarySuffix ends the name of the file with the summary of a SQLite file.
const summarySuffix = ".summary"
