package listing

import (
	"context"
	"fmt"
	"strconv"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/block"
	"mintburn/ent/rejectedlog"
	"mintburn/internal/apierror"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/cursor"
	"mintburn/internal/store/page"
	"mintburn/internal/store/query"
	"mintburn/internal/store/read"
	"mintburn/internal/store/tables"
)

// Listings reads the rows that an export contains besides mints and burns.
type Listings struct{ s *read.Snapshot }

// Of returns a reader of the headers, rejected logs and documents of the snapshot.
func Of(s *read.Snapshot) Listings { return Listings{s} }

// BlockRange selects the rows of a range of blocks.
type BlockRange struct {
	// FromBlock and ToBlock are inclusive; nil means the first or the last indexed block.
	FromBlock, ToBlock *evm.Long
	// Partial accepts a range with missing blocks; only its indexed blocks are read.
	Partial bool
}

// Rows is one batch of an export, in export order.
type Rows[T any] struct {
	Items []T
	// Cursor continues after the items; without items it is the given cursor.
	Cursor *string
	// More reports whether there may be more rows after the items.
	More bool
	// Indexed are the indexed ranges of blocks that the export covers, nil for
	// [Listings.Documents].
	Indexed []evm.Range
}

// RejectedLog is a stored rejected log with its block.
type RejectedLog struct {
	nft.Rejected
	// Block is the log's block, Time its time in Unix seconds, UTC.
	Block evm.BlockRef
	Time  uint64
}

// rowBytes limits the bytes of texts and data in [Rows], apart from the last item.
const rowBytes = 16 << 20

// Headers returns at most limit stored headers of a range after a cursor, by number; a nil
// cursor means the beginning of the range. Besides internal errors it returns an
// [apierror.Error] with the code BAD_USER_INPUT, INVALID_CURSOR, CURSOR_REORGED,
// REPLICA_BEHIND or BLOCK_NOT_INDEXED.
func (l Listings) Headers(ctx context.Context, r BlockRange, after *string, limit int) (*Rows[*evm.Header], error) {
	w, err := newRowWalk(ctx, l.s, "blocks", r, after, limit)
	if err != nil {
		return nil, err
	}
	rows := &Rows[*evm.Header]{Cursor: after, Indexed: w.indexed}
	// A cursor holds the last position of its block, so w.lo is the first of the next.
	from, to := int64(tables.BlockOf(w.lo)), int64(tables.BlockOf(w.hi))
	var row ent.Block
	_, err = l.s.Cached(ctx, query.Key{Name: "headers", Limit: limit}, func(client *ent.Client) entsql.Querier {
		return client.Block.Query().Where(block.IDGTE(from), block.IDLTE(to)).Order(block.ByID()).Limit(limit).Selector()
	}, []any{from, to}, func(r *database.Row) error {
		if err := row.ReadRow(r); err != nil {
			return err
		}
		h, err := tables.HeaderOf(&row)
		rows.Items = append(rows.Items, &h)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading blocks: %w", err)
	}
	if n := len(rows.Items); n > 0 {
		h := rows.Items[n-1]
		rows.More, rows.Cursor = n == limit, w.cursor(tables.LastIn(h.Number), h.Hash)
	}
	return rows, nil
}

// RejectedLogs is [Listings.Headers] for the rejected logs of a range, by block and log index.
func (l Listings) RejectedLogs(ctx context.Context, r BlockRange, after *string, limit int) (*Rows[*RejectedLog], error) {
	w, err := newRowWalk(ctx, l.s, "rejected", r, after, limit)
	if err != nil {
		return nil, err
	}
	rows := &Rows[*RejectedLog]{Cursor: after, Indexed: w.indexed}
	var row rejectedRow
	bytes, position := 0, int64(0)
	_, err = l.s.Cached(ctx, query.Key{Name: "rejected", Limit: limit}, func(client *ent.Client) entsql.Querier {
		return selectRejected(client, limit)
	}, []any{w.lo, w.hi}, func(r *database.Row) error {
		if bytes >= rowBytes {
			rows.More = true
			return nil
		}
		rejected, err := row.read(r)
		if err == nil {
			rows.Items, position = append(rows.Items, rejected), row.log.ID
			bytes += len(rejected.Log.Data)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading rejected logs: %w", err)
	}
	if n := len(rows.Items); n > 0 {
		rows.More, rows.Cursor = rows.More || n == limit, w.cursor(position, rows.Items[n-1].Block.Hash)
	}
	return rows, nil
}

// selectRejected builds the statement of [Listings.RejectedLogs].
func selectRejected(client *ent.Client, limit int) entsql.Querier {
	logs := client.RejectedLog.Query().Where(rejectedlog.IDGTE(0), rejectedlog.IDLTE(0)).Order(rejectedlog.ByID()).Limit(limit)
	logs.Modify(func(s *entsql.Selector) {
		b := entsql.Dialect(s.Dialect()).Table(block.Table)
		// A log without its block must fail the read, not vanish from it: hence the left join.
		s.LeftJoin(b).OnP(entsql.P(func(p *entsql.Builder) {
			p.WriteString(b.C(block.FieldID) + " = " + s.C(rejectedlog.FieldID) + " >> " + strconv.Itoa(tables.SlotBits))
		})).Select(s.Columns(rejectedlog.Columns...)...).AppendSelect(b.Columns(tables.JoinedColumns...)...)
	})
	return logs.Selector()
}

// rejectedRow is a row of selectRejected, reused for all rows.
type rejectedRow struct {
	log   ent.RejectedLog
	block ent.Block
}

// read reads a row. The result shares no memory with the row.
func (r *rejectedRow) read(row *database.Row) (*RejectedLog, error) {
	if err := r.log.ReadRow(row); err != nil {
		return nil, err
	}
	if err := r.block.ReadRow(row, tables.JoinedColumns...); err != nil {
		return nil, err
	}
	hash, err := evm.JoinHash(r.block.HashPrefix, r.block.HashSuffix)
	if err == nil {
		err = tables.CheckTopics(r.log.Topics)
	}
	if err != nil {
		return nil, err
	}
	l := &RejectedLog{Block: evm.BlockRef{Number: tables.BlockOf(r.log.ID), Hash: hash}, Time: r.block.Time}
	l.Reason = r.log.Reason
	l.Log = evm.Log{Address: r.log.Address, TxHash: r.log.TxHash, Index: uint32(r.log.ID & (1<<tables.SlotBits - 1)), Data: append([]byte{}, r.log.Data...)}
	for topics := r.log.Topics; len(topics) > 0; topics = topics[len(hash):] {
		l.Log.Topics = append(l.Log.Topics, evm.Hash(topics[:len(hash)]))
	}
	return l, nil
}

// rowWalk holds the bounds of one batch of an export.
type rowWalk struct {
	cursor.Bounds
	// lo and hi bound the positions, inclusive.
	lo, hi  int64
	indexed []evm.Range
}

// newRowWalk checks the arguments of an export against the stored blocks.
func newRowWalk(ctx context.Context, s *read.Snapshot, name string, r BlockRange, after *string, limit int) (*rowWalk, error) {
	f := store.Filter{FromBlock: r.FromBlock, ToBlock: r.ToBlock, Partial: r.Partial}
	if err := f.Check(); err != nil {
		return nil, err
	}
	bounds, err := page.Args{First: &limit, After: after}.Bounds(s.DB.MaxPageSize())
	if err != nil {
		return nil, err
	}
	w := &rowWalk{Bounds: bounds}
	if err := w.BelongTo(cursor.Fingerprint(fmt.Appendf(nil, "%s %x", name, f.Fingerprint(nil)))); err != nil {
		return nil, err
	}
	if w.After != nil && len(w.After.Key) != 8 {
		return nil, apierror.Errorf(apierror.InvalidCursor, "invalid cursor: want one that this export returned")
	}
	if err := cursor.RequireCanonical(ctx, s, w.After); err != nil {
		return nil, err
	}
	w.lo, w.hi, w.indexed, err = store.RangeOf(ctx, s, f)
	if w.After != nil {
		w.lo = max(w.lo, cursor.PositionOf(w.After.Key)+1)
	}
	return w, err
}

// cursor returns the cursor of a position in the block with the given hash.
func (w *rowWalk) cursor(position int64, hash evm.Hash) *string {
	c := w.CursorAt(cursor.PositionKey(position))
	c.Anchored, c.Anchor = true, cursor.AnchorOf(hash.Prefix())
	text := c.String()
	return &text
}
