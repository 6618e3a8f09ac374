package write

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/mint"
	"mintburn/ent/predicate"
	"mintburn/ent/resolution"
	"mintburn/ent/token"
	"mintburn/ent/version"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/facet"
	"mintburn/internal/store/queue"
	"mintburn/internal/store/tables"
)

// PutMetadata stores the metadata of tokens, in one transaction. It skips documents
// that were fetched before the stored document of their token, and sets their Outdated.
// UpdatedAt does not
// change if the document did not. The tokens count as fetched: workers can claim
// them again after the next event.
func (s *DB) PutMetadata(ctx context.Context, items []nft.TokenMetadata) error {
	return s.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		for part := range differentTokens(items) {
			known, err := putDocuments(ctx, w, part, queue.Storing{Cause: nft.Import, Keep: queue.DefaultKeep})
			var queued map[tables.TokenKey]int
			if err == nil {
				queued, err = rowsOfTokens(ctx, w.Tx, resolution.Table, keysOf(w, part))
			}
			if err == nil {
				err = queue.Imported(ctx, w, part, keysOf(w, part), known, slices.Collect(maps.Values(queued)))
			}
			if err != nil {
				return fmt.Errorf("storing token metadata: %w", err)
			}
		}
		return nil
	})
}

// PutCollections is [DB.PutMetadata] for documents of collections. It returns the number of those that
// it stored, which are not older than the stored ones.
func PutCollections(ctx context.Context, s *DB, items []nft.Resolution) (int, error) {
	stored := 0
	err := s.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error {
		failed := numberContracts(ctx, w, items, func(r nft.Resolution) evm.Address { return r.Contract })
		if failed == nil {
			stored, failed = queue.ImportCollections(ctx, w, items)
		}
		return database.Wrap(failed, "storing the metadata of collections")
	})
	return stored, err
}

// CountTraits counts the tokens of the traits of some more documents after an upgrade, and
// reports whether all are counted. See package facet.
func CountTraits(ctx context.Context, s *DB) (done bool, err error) {
	if walk, err := settingOf[*facet.Walk](ctx, s, tables.TraitsCounted); err != nil || walk == nil {
		return true, err
	}
	return StepTraits(ctx, s, (*facet.Changes).Count)
}

// StepTraits runs a step of package facet in a transaction, and reports whether it was the last.
func StepTraits(ctx context.Context, s *DB, step func(*facet.Changes, context.Context, *database.Tx, *ent.Client) (bool, error)) (done bool, err error) {
	err = s.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) (err error) {
		done, err = step(&w.Counts.Traits, ctx, w.Tx, w.client)
		return err
	})
	return done, err
}

// documentsAtOnce is how many documents one statement looks up or creates. SQLite limits
// the depth of conditions to 1,000.
const documentsAtOnce = 200

// differentTokens splits items into parts of at most documentsAtOnce, none of which
// contains a token twice.
func differentTokens(items []nft.TokenMetadata) iter.Seq[[]nft.TokenMetadata] {
	return func(yield func([]nft.TokenMetadata) bool) {
		seen, start := map[nft.TokenKey]struct{}{}, 0
		for i := range items {
			if _, again := seen[items[i].TokenKey]; again || i-start == documentsAtOnce {
				if !yield(items[start:i]) {
					return
				}
				clear(seen)
				start = i
			}
			seen[items[i].TokenKey] = struct{}{}
		}
		if start < len(items) {
			yield(items[start:])
		}
	}
}

// Queue lets workers claim tokens, see package queue.
type Queue = queue.Queue

// QueueOptions configure a [Queue].
type QueueOptions = queue.Options

// MaxKeepVersions is the maximum of [QueueOptions.Keep].
const MaxKeepVersions = queue.MaxKeep

// NewQueue returns the queue of tokens whose metadata must be fetched.
func NewQueue(s *DB, opts QueueOptions) *Queue {
	return queue.New(func(ctx context.Context, f func(context.Context, queue.Tx) error) error {
		return s.WriteWithoutLease(ctx, func(ctx context.Context, w *Tx) error { return f(ctx, w) })
	}, opts)
}

var _ queue.Tx = (*Tx)(nil)

// Client implements [queue.Tx].
func (w *Tx) Client() *ent.Client { return w.client }

// PutDocument implements [queue.Tx].
func (w *Tx) PutDocument(ctx context.Context, m *nft.TokenMetadata, how queue.Storing) (known bool, err error) {
	before, err := putDocuments(ctx, w, []nft.TokenMetadata{*m}, how)
	return len(before) > 0, err
}

// CountState implements [queue.Tx].
func (w *Tx) CountState(change tables.StateChange) {
	of := w.Counts.of(change.ContractID)
	of.countState(change.From, -change.Tokens)
	of.countState(change.To, change.Tokens)
	switch key := (tables.TokenKey{ContractID: change.ContractID, TokenID: change.TokenID}); {
	case change.From == change.To:
	case change.From == "":
		w.Counts.tried[key]++
	case change.To == "":
		w.Counts.tried[key]--
	}
}

// putDocuments stores the documents of different tokens, at most documentsAtOnce. It skips
// documents older than the stored one, unless how.Latest. It returns the tokens that already had
// a document.
func putDocuments(ctx context.Context, w *Tx, items []nft.TokenMetadata, how queue.Storing) (known map[tables.TokenKey]int, err error) {
	if known, err = knownDocuments(ctx, w, items); err != nil {
		return nil, err
	}
	changed := w.Log.Number()
	var created []*ent.TokenCreate
	for i := range items {
		m := &items[i]
		traits := storableTraits(m.Attributes)
		attributes, err := encodeAttributes(traits)
		if err != nil {
			return nil, err
		}
		id := w.Contracts[m.Contract]
		stored, found := known[tables.TokenKey{ContractID: id, TokenID: m.TokenID}]
		if found {
			if m.Outdated, err = replaceDocument(ctx, w, stored, m, how, traits, attributes, changed); err != nil {
				return nil, err
			}
			continue
		}
		create := w.client.Token.Create().SetContractID(id).SetTokenID(m.TokenID).SetUpdatedAt(m.FetchedAt)
		if err := tables.SetDocument(create.Mutation(), m, attributes); err != nil {
			return nil, err
		}
		create.SetChanged(changed)
		if how.Cause == nft.Import {
			create.SetCause(token.CauseIMPORT)
		}
		w.Counts.Traits.Add(tables.TokenKey{ContractID: id, TokenID: m.TokenID}, traits, 1)
		w.Counts.of(id).documents++
		created = append(created, create)
	}
	return known, w.client.Token.CreateBulk(created...).Exec(ctx)
}

// replaceDocument replaces a stored document, which becomes an earlier version of the token. It
// keeps a newer one and returns true, unless how.Latest.
func replaceDocument(ctx context.Context, w *Tx, id int, m *nft.TokenMetadata, how queue.Storing, traits []nft.Attribute, attributes string, changed int64) (outdated bool, err error) {
	old, err := w.client.Token.Get(ctx, id)
	if err != nil || old.FetchedAt > m.FetchedAt && !how.Latest {
		return err == nil, err
	}
	update := w.client.Token.UpdateOne(old)
	if err := tables.SetDocument(update.Mutation(), m, attributes); err != nil {
		return false, err
	}
	update.SetChanged(changed)
	if raw := tables.WholeRaw(old); raw != tables.Storable(m.Raw) {
		if err := keepVersion(ctx, w, old, raw, how.Keep); err != nil {
			return false, fmt.Errorf("keeping the replaced document: %w", err)
		}
		update.SetUpdatedAt(m.FetchedAt).SetCause(token.Cause(how.Cause))
	}
	if err := update.Exec(ctx); err != nil || old.Attributes == attributes {
		return false, err
	}
	w.Counts.Traits.Add(keyOf(old), traits, 1)
	uncount(w, old)
	return false, nil
}

// keepVersion keeps a document that another one replaces, so that keep versions of the token are
// known with that one.
func keepVersion(ctx context.Context, w *Tx, old *ent.Token, raw string, keep int) error {
	of := versionsOf(old)
	last, _, err := tables.Found(w.client.Version.Query().Where(of...).Order(version.ByNumber(entsql.OrderDesc())).Select(version.FieldNumber).First(ctx))
	if err != nil {
		return err
	}
	number := int64(1)
	if last != nil {
		number = last.Number + 1
	}
	if keep > 1 {
		packed, err := tables.PackRaw(raw)
		if err != nil {
			return err
		}
		err = w.client.Version.Create().SetContractID(old.ContractID).SetTokenID(old.TokenID).SetNumber(number).SetFetchedAt(old.UpdatedAt).
			SetNillableCause((*version.Cause)(old.Cause)).SetTextBytes(int64(len(raw) + len(old.URI))).SetURI(old.URI).SetRaw(packed).Exec(ctx)
		if err != nil {
			return err
		}
	}
	_, err = w.client.Version.Delete().Where(append(of, version.NumberLT(number+2-int64(keep)))...).Exec(ctx)
	return err
}

// versionsOf selects the earlier versions of a document.
func versionsOf(row *ent.Token) []predicate.Version {
	return []predicate.Version{version.ContractID(row.ContractID), version.TokenID(row.TokenID)}
}

// numberContracts assigns numbers to those contracts of items that have none.
func numberContracts[T any](ctx context.Context, w *Tx, items []T, contractOf func(T) evm.Address) error {
	var fresh []evm.Address
	for _, item := range items {
		if address := contractOf(item); w.Contracts[address] == 0 && !slices.Contains(fresh, address) {
			fresh = append(fresh, address)
		}
	}
	return storeContracts(ctx, w, fresh, nil)
}

// knownDocuments assigns numbers to new contracts of tokens, and returns the ids of the
// stored documents.
func knownDocuments(ctx context.Context, w *Tx, items []nft.TokenMetadata) (map[tables.TokenKey]int, error) {
	if err := numberContracts(ctx, w, items, func(m nft.TokenMetadata) evm.Address { return m.Contract }); err != nil {
		return nil, err
	}
	return rowsOfTokens(ctx, w.Tx, token.Table, keysOf(w, items))
}

// keysOf returns the keys of tokens whose contracts have numbers.
func keysOf(w *Tx, items []nft.TokenMetadata) []tables.TokenKey {
	keys := make([]tables.TokenKey, len(items))
	for i := range items {
		keys[i] = tables.TokenKey{ContractID: w.Contracts[items[i].Contract], TokenID: items[i].TokenID}
	}
	return keys
}

// uncount subtracts the attributes of a stored document from the counts. If they are damaged,
// the counts stay too high until package check repairs them: an error would stop the follower
// at every reorg of the token.
func uncount(w *Tx, row *ent.Token) {
	var attributes []nft.Attribute
	if json.Unmarshal([]byte(row.Attributes), &attributes) == nil {
		w.Counts.Traits.Add(keyOf(row), attributes, -1)
	}
}

func keyOf(row *ent.Token) tables.TokenKey {
	return tables.TokenKey{ContractID: row.ContractID, TokenID: row.TokenID}
}

// removeOrphanedTokens removes the tokens whose every mint lies above a block from
// the queue, and their documents. It also returns the refreshes above the block to
// the queue. The mints must still be stored. A token that is minted again is a new
// one, because its document may differ on another branch.
func removeOrphanedTokens(ctx context.Context, w *Tx, above uint64) error {
	orphaned := mintedAbove(above)
	if err := RemoveTokens(ctx, w, []predicate.Token{orphaned}, orphaned); err != nil {
		return err
	}
	return queue.ReturnRefreshes(ctx, w.client, above)
}

// RemoveTokens removes documents, and tokens from the queue.
func RemoveTokens(ctx context.Context, w *Tx, documents []predicate.Token, queued ...predicate.Resolution) error {
	if err := forgetStates(ctx, w, documents, queued); err != nil {
		return err
	}
	ids, err := w.client.Token.Query().Where(documents...).IDs(ctx)
	if err != nil {
		return fmt.Errorf("looking for tokens: %w", err)
	}
	for _, id := range ids {
		// One at a time: a document may have megabytes.
		row, err := w.client.Token.Get(ctx, id)
		if err == nil {
			uncount(w, row)
			w.Counts.of(row.ContractID).documents--
			err = w.client.Token.DeleteOne(row).Exec(ctx)
		}
		if err == nil {
			_, err = w.client.Version.Delete().Where(versionsOf(row)...).Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("removing token metadata: %w", err)
		}
	}
	_, err = w.client.Resolution.Delete().Where(queued...).Exec(ctx)
	return database.Wrap(err, "removing tokens from the queue")
}

// forgetStates counts tokens as never tried, before their documents and their rows in the
// queue are removed.
func forgetStates(ctx context.Context, w *Tx, documents []predicate.Token, queued []predicate.Resolution) error {
	documented, err := w.client.Token.Query().Where(documents...).Select(token.FieldContractID, token.FieldTokenID).All(ctx)
	if err != nil {
		return fmt.Errorf("looking for tokens: %w", err)
	}
	rows, err := w.client.Resolution.Query().Where(queued...).
		Select(resolution.FieldContractID, resolution.FieldTokenID, resolution.FieldState, resolution.FieldError).All(ctx)
	if err != nil {
		return fmt.Errorf("reading the queue: %w", err)
	}
	of := map[tables.TokenKey]*ent.Resolution{}
	for _, row := range rows {
		of[tables.TokenKey{ContractID: row.ContractID, TokenID: row.TokenID}] = row
	}
	forget := func(key tables.TokenKey, state nft.MetadataState) {
		w.CountState(tables.StateChange{ContractID: key.ContractID, TokenID: key.TokenID, From: state, Tokens: 1})
	}
	for _, row := range documented {
		key := keyOf(row)
		forget(key, tables.FetchState(true, of[key]))
		delete(of, key)
	}
	for key, row := range of {
		forget(key, tables.FetchState(false, row))
	}
	return nil
}

// mintedAbove selects the tokens whose every mint lies above a block, in a table with
// one row per token.
func mintedAbove(above uint64) func(*entsql.Selector) {
	return func(s *entsql.Selector) {
		from, builder := tables.FirstIn(above+1), entsql.Dialect(s.Dialect())
		minted, before := builder.Table(mint.Table).As("minted"), builder.Table(mint.Table).As("before")
		older := builder.Select(before.C(mint.FieldID)).From(before).Where(entsql.And(
			entsql.ColumnsEQ(before.C(mint.FieldContractID), minted.C(mint.FieldContractID)),
			entsql.ColumnsEQ(before.C(mint.FieldTokenID), minted.C(mint.FieldTokenID)),
			entsql.LT(before.C(mint.FieldID), from)))
		tokens := builder.Select(minted.C(mint.FieldContractID), minted.C(mint.FieldTokenID)).From(minted).
			Where(entsql.And(entsql.GTE(minted.C(mint.FieldID), from), entsql.NotExists(older)))
		s.Where(entsql.P(func(b *entsql.Builder) {
			b.Wrap(func(b *entsql.Builder) { b.IdentComma(s.C(mint.FieldContractID), s.C(mint.FieldTokenID)) })
			b.WriteOp(entsql.OpIn).Wrap(func(b *entsql.Builder) { b.Join(tokens) })
		}))
	}
}

// encodeAttributes returns attributes in their stored form.
func encodeAttributes(attributes []nft.Attribute) (string, error) {
	if attributes == nil {
		attributes = []nft.Attribute{}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(attributes)
	return b.String(), database.Wrap(err, "encoding attributes")
}

// storableTraits returns attributes with their texts as the database returns them
// later, because a trait is counted by its text.
func storableTraits(attributes []nft.Attribute) []nft.Attribute {
	attributes = slices.Clone(attributes)
	for i := range attributes {
		a := &attributes[i]
		a.TraitType, a.Value = tables.Storable(a.TraitType), tables.Storable(a.Value)
	}
	return attributes
}
