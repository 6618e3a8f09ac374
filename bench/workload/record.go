package workload

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"

	"mintburn/internal/evm"
)

// blocks holds block numbers, and for each block the number of records up to its end.
type blocks struct {
	table        string
	numbers, sum []int64
}

// record is a picked record.
type record struct {
	pos, contractID, block int64
	address                evm.Address
	tx                     evm.Hash
	tokenID                evm.Uint256
}

// blocks reads the blocks of a table.
func (p *picker) blocks(ctx context.Context, table string) (b blocks, err error) {
	b.table = table
	var number, n, sum int64
	statement := fmt.Sprintf("SELECT id >> %d, COUNT(*) FROM %s GROUP BY 1 ORDER BY 1", slotBits, table)
	for rows, err := range Each(p.db.QueryContext(ctx, statement)) {
		if err == nil {
			err = rows.Scan(&number, &n)
		}
		if err != nil {
			return b, fmt.Errorf("reading blocks: %w", err)
		}
		sum += n
		b.numbers, b.sum = append(b.numbers, number), append(b.sum, sum)
	}
	if sum == 0 {
		return b, fmt.Errorf("the database has no %s", table)
	}
	return b, nil
}

// record picks a record, each with the same probability.
func (p *picker) record(ctx context.Context, b *blocks) (r record, err error) {
	n := p.random.Int64N(b.sum[len(b.sum)-1])
	at, _ := slices.BinarySearch(b.sum, n+1)
	if at > 0 {
		n -= b.sum[at-1]
	}
	r.block = b.numbers[at]
	var tail []byte
	var head int64
	if err := p.db.QueryRowContext(ctx, strings.ReplaceAll(`
		SELECT t.id, t.contract_id, c.address, t.tx_prefix, t.tx_suffix, t.token_id FROM TABLE t JOIN contracts c ON c.id = t.contract_id
		WHERE t.id >= ? ORDER BY t.id LIMIT 1 OFFSET ?`, "TABLE", b.table), r.block<<slotBits, n).
		Scan(&r.pos, &r.contractID, &r.address, &head, &tail, &r.tokenID); err != nil {
		return r, fmt.Errorf("reading one of the %s: %w", b.table, err)
	}
	r.tx, err = evm.JoinHash(head, tail)
	return r, err
}

// Each yields the rows of a query, up to the first error, and closes them.
func Each(rows *sql.Rows, err error) iter.Seq2[*sql.Rows, error] {
	return func(yield func(*sql.Rows, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			if !yield(rows, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}
