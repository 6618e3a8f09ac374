package store

import (
	"context"
	"errors"
	"fmt"

	"mintburn/ent/block"
	"mintburn/ent/rejectedlog"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Differences compares an indexed block with what is stored of it. It returns
// a line for each difference, which names the record and the documented field,
// in the order of the header, the mints, the burns and the rejected logs, and the
// hash of the stored header, zero where none is stored. A block without records
// need not have a stored header.
func (s *Store) Differences(ctx context.Context, want nft.Block) (differences []string, stored evm.Hash, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	got, found, err := snapshot.block(ctx, want.Header.Number)
	if err != nil {
		return nil, stored, err
	}
	c := comparison{numbers: map[evm.Address]int64{}}
	if found {
		c.header(&got.Header, &want.Header)
	}
	c.records(got.Mints, want.Mints)
	c.records(got.Burns, want.Burns)
	c.rejected(got.Rejected, want.Rejected)
	return c.differences, got.Header.Hash, nil
}

// block returns what is stored of a block: its records, the indexes and reasons
// of its rejected logs and, if found, its header.
func (s *Snapshot) block(ctx context.Context, number uint64) (b nft.Block, found bool, err error) {
	if b.Header, found, err = s.header(ctx, number); err != nil {
		return b, false, err
	}
	for kind, records := range map[nft.Kind]*[]nft.Record{nft.Mint: &b.Mints, nft.Burn: &b.Burns} {
		items, err := s.transfers(ctx, &query{kind: kind}, firstIn(number), lastIn(number), nft.MaxBlockRecords, false)
		if err != nil {
			return b, false, err
		}
		for i := range items {
			*records = append(*records, items[i].Record)
		}
	}
	rows, err := s.client().RejectedLog.Query().Where(rejectedlog.IDGTE(firstIn(number)), rejectedlog.IDLTE(lastIn(number))).
		Order(rejectedlog.ByID()).All(ctx)
	if err != nil {
		return b, false, fmt.Errorf("reading rejected logs of block %d: %w", number, err)
	}
	for _, row := range rows {
		r := nft.Rejected{Reason: row.Reason}
		r.Log.Index = uint32(row.ID & (1<<slotBits - 1))
		b.Rejected = append(b.Rejected, r)
	}
	return b, found, nil
}

// comparison collects differences.
type comparison struct {
	differences []string
	// numbers stand for the ids of contracts: equal addresses have equal ones.
	numbers map[evm.Address]int64
}

func (c *comparison) add(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// header compares headers. The parent's hash is compared where it is stored.
func (c *comparison) header(got, want *evm.Header) {
	parent := *want
	if got.ParentHash.IsZero() {
		parent.ParentHash = evm.Hash{}
	}
	reported := map[string]bool{}
	for _, column := range blockRow(got).Diff(blockRow(&parent)) {
		var name, stored, real string
		switch column {
		case block.FieldHashHead, block.FieldHashTail:
			name, stored, real = "hash", got.Hash.String(), want.Hash.String()
		case block.FieldParentHash:
			name, stored, real = "parent hash", got.ParentHash.String(), want.ParentHash.String()
		case block.FieldTime:
			name, stored, real = "time", fmt.Sprint(got.Time), fmt.Sprint(want.Time)
		default:
			c.add("%s differs", column)
			continue
		}
		if !reported[name] {
			c.add("%s: stored is %s, the chain has %s", name, stored, real)
		}
		reported[name] = true
	}
}

// records walks two lists in chain order.
func (c *comparison) records(got, want []nft.Record) {
	for len(got) > 0 || len(want) > 0 {
		switch order := compareFirst(got, want); {
		case order < 0:
			c.add("%s is stored, and not on the chain", describe(&got[0]))
			got = got[1:]
		case order > 0:
			c.add("%s is missing", describe(&want[0]))
			want = want[1:]
		default:
			c.record(&got[0], &want[0])
			got, want = got[1:], want[1:]
		}
	}
}

// compareFirst tells which of two lists has the earlier record first; an empty
// list is later than any record.
func compareFirst(got, want []nft.Record) int {
	switch {
	case len(got) == 0:
		return 1
	case len(want) == 0:
		return -1
	case got[0].LogIndex != want[0].LogIndex:
		return int(int64(got[0].LogIndex) - int64(want[0].LogIndex))
	default:
		return int(int64(got[0].SubIndex) - int64(want[0].SubIndex))
	}
}

func describe(r *nft.Record) string {
	return fmt.Sprintf("%s at log %d, sub index %d (collection %s, token %s)", r.Kind, r.LogIndex, r.SubIndex, r.Contract, r.TokenID)
}

// record compares the rows of two records at the same place.
func (c *comparison) record(got, want *nft.Record) {
	var stored, real recordRow
	stored.set(got, 0, c.number(got.Contract))
	real.set(want, 0, c.number(want.Contract))
	differ := stored.diff(&real)
	reported := 0
	for _, field := range recordFields {
		if a, b := field.value(got), field.value(want); a != b && overlap(field.columns, differ) {
			c.add("%s at log %d, sub index %d: %s: stored is %s, the chain has %s", want.Kind, want.LogIndex, want.SubIndex, field.name, a, b)
			reported++
		}
	}
	if len(differ) > 0 && reported == 0 {
		c.add("%s at log %d, sub index %d: %s differ", want.Kind, want.LogIndex, want.SubIndex, differ)
	}
}

func (c *comparison) number(address evm.Address) int64 {
	if _, ok := c.numbers[address]; !ok {
		c.numbers[address] = int64(len(c.numbers))
	}
	return c.numbers[address]
}

func (c *comparison) rejected(got, want []nft.Rejected) {
	reasons := func(list []nft.Rejected) map[uint32]string {
		m := make(map[uint32]string, len(list))
		for _, r := range list {
			m[r.Log.Index] = r.Reason
		}
		return m
	}
	stored, real := reasons(got), reasons(want)
	for _, r := range want {
		if stored[r.Log.Index] != r.Reason {
			c.add("rejected log %d: stored is %q, the chain has %q", r.Log.Index, stored[r.Log.Index], r.Reason)
		}
	}
	for _, r := range got {
		if _, ok := real[r.Log.Index]; !ok {
			c.add("rejected log %d is stored, and not malformed on the chain", r.Log.Index)
		}
	}
}
