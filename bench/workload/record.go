package workload

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mintburn/internal/evm"
)

// blocks are numbers of blocks and how many records they and all before have.
type blocks struct {
	table        string
	numbers, sum []int64
}

// record is a picked one.
type record struct {
	pos, contractID, block int64
	address, tx, tokenID   string
}

// blocks reads the blocks of a table.
func (p *picker) blocks(ctx context.Context, table string) (b blocks, err error) {
	b.table = table
	rows, err := p.db.QueryContext(ctx, fmt.Sprintf("SELECT id >> %d, COUNT(*) FROM %s GROUP BY 1 ORDER BY 1", slotBits, table))
	if err != nil {
		return b, fmt.Errorf("reading blocks: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var sum int64
	for rows.Next() {
		var number, n int64
		if err := rows.Scan(&number, &n); err != nil {
			return b, fmt.Errorf("reading blocks: %w", err)
		}
		sum += n
		b.numbers, b.sum = append(b.numbers, number), append(b.sum, sum)
	}
	if err := rows.Err(); err != nil {
		return b, fmt.Errorf("reading blocks: %w", err)
	}
	if sum == 0 {
		return b, fmt.Errorf("the database has no %s", table)
	}
	return b, nil
}

// record picks a record, each with the same chance.
func (p *picker) record(ctx context.Context, b *blocks) (r record, err error) {
	n := p.random.Int64N(b.sum[len(b.sum)-1])
	at, _ := slices.BinarySearch(b.sum, n+1)
	if at > 0 {
		n -= b.sum[at-1]
	}
	r.block = b.numbers[at]
	var address, tail, id []byte
	var head int64
	if err := p.db.QueryRowContext(ctx, strings.ReplaceAll(`
		SELECT t.id, t.contract_id, c.address, t.tx_prefix, t.tx_suffix, t.token_id FROM TABLE t JOIN contracts c ON c.id = t.contract_id
		WHERE t.id >= ? ORDER BY t.id LIMIT 1 OFFSET ?`, "TABLE", b.table), r.block<<slotBits, n).
		Scan(&r.pos, &r.contractID, &address, &head, &tail, &id); err != nil {
		return r, fmt.Errorf("reading one of the %s: %w", b.table, err)
	}
	tx, err := evm.JoinHash(head, tail)
	if err != nil {
		return r, err
	}
	var token evm.Uint256
	if err := token.Scan(id); err != nil {
		return r, fmt.Errorf("reading a token id: %w", err)
	}
	r.address, r.tx, r.tokenID = evm.Address(address).String(), tx.String(), token.String()
	return r, nil
}
