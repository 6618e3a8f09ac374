package workload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// tries is the number of picked collections that may have too few burns for a page.
const tries = 10_000

// span picks a collection and a range with at least the given number of its burns.
func (p *picker) span(ctx context.Context, v *Variables, atLeast int) error {
	first, last := p.ends()
	for range tries {
		r, err := p.record(ctx, &p.burns)
		if err != nil {
			return err
		}
		from := first + p.random.Int64N(r.block-first+1)
		var pos int64
		err = p.db.QueryRowContext(ctx, "SELECT id FROM burns WHERE contract_id = ? AND id >= ? ORDER BY id LIMIT 1 OFFSET ?",
			r.contractID, from<<slotBits, atLeast-1).Scan(&pos)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		to := pos >> slotBits
		to += p.random.Int64N(last - to + 1)
		v.Address, v.FromBlock, v.ToBlock = r.address, uint64(from), uint64(to)
		return nil
	}
	return fmt.Errorf("no collection has %d burns: generate more records", atLeast)
}

// wide picks a range of more than half of all blocks, in the largest collection.
func (p *picker) wide(v *Variables) {
	first, last := p.ends()
	quarter := (last-first)/4 + 1
	v.FromBlock, v.ToBlock = uint64(first+p.random.Int64N(quarter)), uint64(last-p.random.Int64N(quarter))
	v.Address = p.largestAddress
}

// deep returns sets for the 1,000th page of the largest collection's burns and the
// pages next to it; in a small database, for the page in the middle.
// [AddCursors] completes them.
func (p *picker) deep(ctx context.Context) (list []Variables, err error) {
	first, last := p.ends()
	skip := max(0, min((deepPage-1)*20, p.burned/2)-1)
	for rows, err := range Each(p.db.QueryContext(ctx, "SELECT id FROM burns WHERE contract_id = ? ORDER BY id LIMIT ? OFFSET ?",
		p.largest, min(int64(p.sets), p.burned/4), skip)) {
		v := Variables{Address: p.largestAddress, FromBlock: uint64(first), ToBlock: uint64(last), Place: int(skip) + len(list)}
		if err == nil {
			err = rows.Scan(&v.Position)
		}
		if err != nil {
			return nil, fmt.Errorf("walking to the 1,000th page: %w", err)
		}
		list = append(list, v)
	}
	if len(list) == 0 {
		return nil, errors.New("the largest collection has no burns: generate more records")
	}
	return list, nil
}

// newest returns sets for the pages after each of the newest collections, which are ordered
// by their first mint because no burn is before it. [AddCursors] completes them.
func (p *picker) newest(ctx context.Context) (list []Variables, err error) {
	for rows, err := range Each(p.db.QueryContext(ctx, "SELECT MIN(id) FROM mints GROUP BY contract_id ORDER BY 1 DESC LIMIT min(?, "+
		"(SELECT COUNT(DISTINCT contract_id) / 2 FROM mints))", p.sets)) {
		v := Variables{Place: len(list)}
		if err == nil {
			err = rows.Scan(&v.Position)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the newest collections: %w", err)
		}
		list = append(list, v)
	}
	return list, nil
}

// inTime replaces the range of blocks by the times of its ends. It leaves out the first
// block, because a block before it, which is not indexed, may have the same time.
func (p *picker) inTime(ctx context.Context, v *Variables) error {
	first, _ := p.ends()
	v.FromBlock = max(v.FromBlock, uint64(first)+1)
	if err := p.db.QueryRowContext(ctx, "SELECT MIN(time), MAX(time) FROM blocks WHERE id IN (?, ?)", v.FromBlock, v.ToBlock).
		Scan(&v.FromTime, &v.ToTime); err != nil {
		return fmt.Errorf("reading the times of blocks: %w", err)
	}
	v.FromBlock, v.ToBlock = 0, 0
	return nil
}

// ends returns the first and the last block with records.
func (p *picker) ends() (first, last int64) {
	mints, burns := p.mints.numbers, p.burns.numbers
	return min(mints[0], burns[0]), max(mints[len(mints)-1], burns[len(burns)-1])
}
