package store

import (
	"context"
	"fmt"
	"slices"
	"sync"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent/block"
	"mintburn/ent/burn"
	"mintburn/ent/mint"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Transfer is a stored mint or burn.
type Transfer struct {
	nft.Record
	// Block is the block of the record.
	Block evm.BlockRef
	// Time is the block's time in Unix seconds, UTC.
	Time uint64
	// pos is the record's primary key.
	pos int64
}

// Page is one page of mints or burns. [Page.Read] reads it; until then it has
// its limit and number only. Its methods may read from the snapshot that gave
// it, which must be open.
type Page struct {
	// Items are the records, in the order of the filter.
	Items []Transfer
	pageBounds
	snapshot *Snapshot
	filter   Filter
	query    *query

	readOnce sync.Once
	readErr  error

	// metadata holds what Metadata loaded, once for the page.
	metadataOnce sync.Once
	metadata     map[nft.TokenKey]*nft.TokenMetadata
	metadataErr  error
}

// Page returns the page of f that args name, to be read by [Page.Read]. It
// checks everything that needs no data and reads nothing. Its errors are of
// type [nft.Error] with the code BAD_USER_INPUT or INVALID_CURSOR.
func (s *Snapshot) Page(f Filter, args PageArgs) (*Page, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	bounds, err := args.bounds(s.store.opts.MaxPageSize)
	if err != nil {
		return nil, err
	}
	p := &Page{pageBounds: bounds, snapshot: s, filter: f}
	switch {
	case f.Block == nil:
		err = p.belongTo(f.fingerprint(nil))
	case f.Block.Hash == nil:
		number := uint64(f.Block.Number)
		err = p.belongTo(f.fingerprint(&number))
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Read reads the page, once: later calls return the result of the first one.
// It is safe for concurrent use. Besides internal errors it returns an
// [nft.Error] with the code INVALID_CURSOR, CURSOR_REORGED, NOT_FOUND,
// BLOCK_NOT_FOUND, BLOCK_NOT_INDEXED or BLOCK_NOT_CANONICAL.
func (p *Page) Read(ctx context.Context) error {
	p.readOnce.Do(func() { p.readErr = p.read(ctx) })
	return p.readErr
}

func (p *Page) read(ctx context.Context) error {
	s := p.snapshot
	q, err := s.resolve(ctx, p.filter)
	if err != nil {
		return err
	}
	p.query = q
	if p.filter.Block != nil && p.filter.Block.Hash != nil {
		// Cursors of a block hold its number, which is known only now.
		number := blockOf(q.lo)
		if err := p.belongTo(p.filter.fingerprint(&number)); err != nil {
			return err
		}
	}
	lo, hi := q.lo, q.hi
	if p.after != nil {
		pos, err := s.cursorPosition(ctx, p.after)
		if err != nil {
			return err
		}
		lo, hi = q.beyond(pos, lo, hi, true)
	}
	if p.before != nil {
		pos, err := s.cursorPosition(ctx, p.before)
		if err != nil {
			return err
		}
		lo, hi = q.beyond(pos, lo, hi, false)
	}
	if p.Items, err = s.transfers(ctx, q, lo, hi, p.limit+1, p.backward != q.desc); err != nil {
		return err
	}
	if len(p.Items) == 0 {
		return s.explainEmpty(ctx, p.filter)
	}
	if len(p.Items) > p.limit {
		p.more, p.Items = true, p.Items[:p.limit]
	}
	if p.backward {
		slices.Reverse(p.Items)
	}
	return nil
}

// columns of mints are those that both kinds have, in the order that
// readTransfer reads.
var columns = []string{
	mint.FieldID, mint.FieldContractID, mint.FieldTokenID, mint.FieldTxHead, mint.FieldTxTail,
	mint.FieldAccountHead, mint.FieldAccountTail, mint.FieldAmount, mint.FieldLogIndex,
	mint.FieldSubIndex, mint.FieldOperator,
}

// transfers reads at most limit records of [lo, hi], with their blocks, from
// the low end or from the high end.
func (s *Snapshot) transfers(ctx context.Context, q *query, lo, hi int64, limit int, fromHigh bool) ([]Transfer, error) {
	if lo > hi {
		return nil, nil
	}
	text, args := s.transfersStatement(q, lo, hi, limit, fromHigh)
	// Most pages are as full as they may be; the largest need not be.
	items := make([]Transfer, 0, min(limit, 128))
	contracts := make([]int64, 0, cap(items))
	err := s.queryText(ctx, text, args, func(r *rowReader) error {
		items = append(items, Transfer{})
		contractID, err := readTransfer(r, q.kind, &items[len(items)-1])
		contracts = append(contracts, contractID)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading %ss: %w", q.kind, err)
	}
	// After the rows are closed: addresses that are not cached take another
	// statement.
	addresses, err := s.contractAddresses(ctx, contracts)
	if err != nil {
		return nil, err
	}
	for i := range items {
		items[i].Contract = addresses[i]
	}
	return items, nil
}

// transfersStatement returns the statement of transfers.
func (s *Snapshot) transfersStatement(q *query, lo, hi int64, limit int, fromHigh bool) (string, []any) {
	of := q.shape("transfers", lo, hi)
	of.fromHigh, of.limit = fromHigh, limit
	return s.store.texts.get(of, func() entsql.Querier { return s.selectTransfers(q, lo, hi, limit, fromHigh) }), q.args(lo, hi)
}

// selectTransfers builds the statement of transfers.
func (s *Snapshot) selectTransfers(q *query, lo, hi int64, limit int, fromHigh bool) *entsql.Selector {
	selector, t := q.selector(s.builder(), lo, hi)
	b := s.builder().Table(block.Table)
	// A record without its block must fail the read, not vanish from it:
	// hence the left join.
	selector.LeftJoin(b).OnP(entsql.P(func(p *entsql.Builder) {
		p.WriteString(b.C(block.FieldID)).WriteString(" = ").WriteString(t.C(mint.FieldID)).WriteString(fmt.Sprintf(" >> %d", slotBits))
	}))
	selector.Select(t.Columns(columns...)...).AppendSelect(b.C(block.FieldHashHead), b.C(block.FieldHashTail), b.C(block.FieldTime))
	if q.kind == nft.Burn {
		selector.AppendSelect(t.C(burn.FieldBurnAddress))
	}
	q.order(selector, fromHigh)
	return selector.Limit(limit)
}

// readTransfer reads one row of transfers, all but the contract's address.
func readTransfer(r *rowReader, kind nft.Kind, t *Transfer) (contractID int64, err error) {
	t.Kind, t.Type = kind, nft.ERC721
	t.pos, contractID = r.integer(), r.integer()
	t.Block.Number = blockOf(t.pos)
	r.scan(&t.TokenID)
	txHead, txTail := r.integer(), r.bytes()
	accountHead, accountTail := r.integer(), r.bytes()
	r.scan(&t.Amount)
	t.LogIndex, t.SubIndex = uint32(r.unsigned(1<<32-1)), uint32(r.unsigned(1<<32-1))
	if !r.null() {
		t.Type = nft.ERC1155
		r.scan(&t.Operator)
	}
	hashHead, hashTail := r.integer(), r.bytes()
	t.Time = r.unsigned(1<<63 - 1)
	if kind == nft.Burn && !r.null() {
		r.scan(&t.To)
	}
	if r.err != nil {
		return 0, r.err
	}
	account := &t.To
	if kind == nft.Burn {
		account = &t.From
	}
	if *account, err = evm.JoinAddress(accountHead, accountTail); err != nil {
		return 0, err
	}
	if t.TxHash, err = evm.JoinHash(txHead, txTail); err != nil {
		return 0, err
	}
	t.Block.Hash, err = evm.JoinHash(hashHead, hashTail)
	return contractID, err
}

// HasNextPage reports whether records follow the page in its order.
func (p *Page) HasNextPage(ctx context.Context) (bool, error) {
	if !p.backward && p.more {
		return true, nil
	}
	if p.before == nil {
		return false, nil
	}
	return p.exists(ctx, true)
}

// HasPreviousPage reports whether records precede the page in its order.
func (p *Page) HasPreviousPage(ctx context.Context) (bool, error) {
	if p.backward && p.more {
		return true, nil
	}
	if p.after == nil {
		return false, nil
	}
	return p.exists(ctx, false)
}

// exists looks for one record after the page's last place, or before its
// first.
func (p *Page) exists(ctx context.Context, follows bool) (bool, error) {
	pos := p.edge(follows)
	lo, hi := p.query.beyond(pos, p.query.lo, p.query.hi, follows)
	if lo > hi {
		return false, nil
	}
	of := p.query.shape("exists", lo, hi)
	of.fromHigh = follows == p.query.desc
	var id int64
	found, err := p.snapshot.rowText(ctx, p.snapshot.store.texts.get(of, func() entsql.Querier {
		selector, t := p.query.selector(p.snapshot.builder(), lo, hi)
		p.query.order(selector, of.fromHigh)
		return selector.Select(t.C(mint.FieldID)).Limit(1)
	}), p.query.args(lo, hi), &id)
	if err != nil {
		return false, fmt.Errorf("looking beyond a page of %ss: %w", p.query.kind, err)
	}
	return found, nil
}

// edge returns the position of the page's last record, or of its first. An
// empty page lies between two positions: edge returns the one on the far side
// of what is asked for.
func (p *Page) edge(last bool) int64 {
	switch n := len(p.Items); {
	case n > 0 && last:
		return p.Items[n-1].pos
	case n > 0:
		return p.Items[0].pos
	case last:
		return p.place()
	default:
		return p.place() + p.query.step()
	}
}

// place returns the position that an empty page comes right after.
func (p *Page) place() int64 {
	q := p.query
	first, last := q.lo, q.hi
	if q.desc {
		first, last = q.hi, q.lo
	}
	switch {
	case p.after != nil && !p.backward:
		return keyPosition(p.after.key)
	case p.before != nil && p.backward:
		return keyPosition(p.before.key) - q.step()
	case p.backward:
		return last
	default:
		return first - q.step()
	}
}
