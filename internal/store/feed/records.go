package feed

import (
	"cmp"
	"context"
	"slices"

	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/store/tables"
)

// readRecords adds the records of the added blocks, and reports whether all were added.
func (r *reader) readRecords(ctx context.Context) (whole bool, err error) {
	if r.place.stage > recorded {
		return true, nil
	}
	for _, blocks := range r.effect.Added {
		hi := tables.LastIn(blocks.To)
		for r.filter.wants(Added) && min(r.place.a, r.place.b) < hi {
			if r.statements++; r.statements > maxStatements {
				return false, nil
			}
			if whole, err := r.readBlocks(ctx, tables.FirstIn(blocks.From), hi); err != nil || !whole {
				return false, err
			}
		}
	}
	// Rows have numbers from 1 on, so this comes before all documents of later rows of the log.
	r.place.stage, r.place.a, r.place.b = documents, r.from.ID+1, 0
	return true, nil
}

// readBlocks adds the next records of a range of positions, and reports whether the batch has
// room for more.
func (r *reader) readBlocks(ctx context.Context, lo, hi int64) (more bool, err error) {
	var pages [2]*store.RecordPage
	limit, scans := min(max(r.limit-len(r.batch.Changes), 1), r.DB.MaxPageSize()), r.filter.Addresses != nil && r.filter.Accounts != nil
	if scans {
		if limit = r.room(len(pages)); limit == 0 {
			return false, nil
		}
	}
	after := [2]*int64{nft.Mint: &r.place.a, nft.Burn: &r.place.b}
	err = r.Tx.Together(ctx, len(pages), func(ctx context.Context, kind int) (err error) {
		from := max(lo, *after[kind]+1)
		if nft.Kind(kind) == nft.Mint && r.place.stage == recorded {
			from = max(lo, r.place.a)
		}
		pages[kind], err = store.RecordsBetween(ctx, r.Snapshot, nft.Kind(kind), r.records, from, hi, limit)
		return err
	})
	if err != nil {
		return false, err
	}
	if scans {
		r.batch.Scanned += pages[nft.Mint].Len() + pages[nft.Burn].Len()
	}
	stored, err := r.documentsOf(ctx, pages[nft.Mint])
	if err != nil {
		return false, err
	}
	for at := [2]int{}; ; {
		kind := next(pages, at)
		page, item := pages[kind], at[kind]
		if item == page.Len() {
			// A list that reached the limit may continue before the other one.
			for kind, page := range pages {
				if page.Len() < limit {
					*after[kind] = hi
				}
			}
			r.place.stage = records
			return true, nil
		}
		if other := 1 - kind; at[other] == pages[other].Len() && pages[other].Len() == limit {
			return true, nil
		}
		at[kind]++
		if !r.addRecord(page, item, stored) {
			return false, nil
		}
	}
}

// next returns the kind of the next record of two pages in chain order.
func next(pages [2]*store.RecordPage, at [2]int) nft.Kind {
	mints, burns := pages[nft.Mint], pages[nft.Burn]
	if at[nft.Burn] == burns.Len() {
		return nft.Mint
	}
	if at[nft.Mint] == mints.Len() {
		return nft.Burn
	}
	a, b := &mints.Items[at[nft.Mint]], &burns.Items[at[nft.Burn]]
	if cmp.Or(cmp.Compare(a.Block.Number, b.Block.Number), cmp.Compare(a.LogIndex, b.LogIndex), cmp.Compare(a.SubIndex, b.SubIndex)) <= 0 {
		return nft.Mint
	}
	return nft.Burn
}

// addRecord adds a record if the filter selects it, and the document of its token if that must
// follow. It reports whether the batch had room.
func (r *reader) addRecord(page *store.RecordPage, item int, stored map[nft.TokenKey]*store.TokenMetadata) bool {
	record, pending := &page.Items[item], r.place.stage == recorded
	after := r.place
	after.stage = records
	account := record.From
	if record.Kind == nft.Mint {
		pending = pending && record.Position() == r.place.a
		account, after.a = record.To, record.Position()
	} else {
		pending, after.b = false, record.Position()
	}
	if r.filter.Addresses != nil && r.filter.Accounts != nil && !slices.Contains(r.filter.Accounts, account) {
		r.place = after
		return true
	}
	follows := stored != nil && record.Kind == nft.Mint
	added := after
	if follows {
		added.stage = recorded
	}
	if !pending && !r.emit(Change{Kind: Added, Page: page, Item: item}, added) {
		return false
	}
	if !follows {
		return true
	}
	key := nft.TokenKey{Contract: record.Contract, TokenID: record.TokenID}
	return r.emit(Change{Kind: Metadata, Token: key, Document: stored[key]}, after)
}

// documentsOf returns the documents that follow mints, nil if none do.
func (r *reader) documentsOf(ctx context.Context, page *store.RecordPage) (map[nft.TokenKey]*store.TokenMetadata, error) {
	if len(r.effect.Voids) == 0 || !r.filter.wants(Metadata) {
		return nil, nil
	}
	keys := make([]nft.TokenKey, len(page.Items))
	for i := range keys {
		keys[i] = nft.TokenKey{Contract: page.Items[i].Contract, TokenID: page.Items[i].TokenID}
	}
	return document.Stored(ctx, r.Snapshot, keys, r.texts, "first")
}
