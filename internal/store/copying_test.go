package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/copying"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestCopying_Refused checks that nobody opens or changes an unfinished copy, even with a database that was opened
// before.
func TestCopying_Refused(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		before, to := open(t, dsn, write.Options{}), open(t, dsn, write.Options{Copies: true})
		refused := func(err error) {
			t.Helper()
			if unfinished := new(read.SchemaError); !errors.As(err, &unfinished) || err.Error() != "an unfinished copy: run mintburn copy again" {
				t.Errorf("got %v", err)
			}
		}
		expect.NoError(t, before.Settings().BindChain(t.Context(), 1))
		expect.NoError(t, copying.Begin(t.Context(), to))
		refused(before.CheckSchema(t.Context()))
		refused(before.Settings().BindChain(t.Context(), 1))
		_, err := before.Apply(t.Context(), branch(1, 1, 100, blockHash(1, 99), 3, between(2, 0)))
		refused(err)
		_, err = write.Open(t.Context(), dsn, write.Options{})
		refused(err)
		_, err = write.ReadSchema(t.Context(), dsn)
		refused(err)
		if got, err := copying.End(t.Context(), to, nil, nil); err != nil || len(got) == 0 {
			t.Errorf("%d counts, error %v", len(got), err)
		}
		refused(before.CheckSchema(t.Context()))
		snapshot := to.Snapshot()
		defer func() { expect.NoError(t, snapshot.Close()) }()
		none, err := copying.Counts(t.Context(), snapshot.Tx)
		expect.NoError(t, err)
		_, err = copying.End(t.Context(), to, none, nil)
		expect.NoError(t, err)
		expect.NoError(t, before.CheckSchema(t.Context()))
		// Another chain: the settings of the target were removed.
		expect.NoError(t, before.Settings().BindChain(t.Context(), 2))
	})
}

// TestCopying_Again copies again after a copy that ended while it built indexes. The documents are longer than a
// transaction and a part of one, and more than one statement reads.
func TestCopying_Again(t *testing.T) {
	skipShort(t)
	from := open(t, storetest.SQLite(t), write.Options{})
	blocks := branch(1, 1, 100, blockHash(1, 99), 30, between(4, 0))
	apply(t, from, blocks)
	var documents []nft.TokenMetadata
	for n := range 1_050 {
		key := nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(uint64(n))}
		if n%50 == 0 {
			documents = append(documents, sized(key, 100_000))
			continue
		}
		documents = append(documents, nft.TokenMetadata{TokenKey: key, FetchedAt: 1, URI: "u", Raw: "{}", Metadata: nft.Metadata{Attributes: []nft.Attribute{{TraitType: "n", Value: fmt.Sprint(n % 7)}}}})
	}
	expect.NoError(t, from.PutMetadata(t.Context(), documents))
	onBoth(t, func(t *testing.T, dsn string) {
		want, to := indexes(t, dsn), open(t, dsn, write.Options{Copies: true})
		var counts []copying.Count
		fill := func() {
			t.Helper()
			snapshot := from.Snapshot()
			defer func() { expect.NoError(t, snapshot.Close()) }()
			var err error
			counts, err = copying.Counts(t.Context(), snapshot.Tx)
			expect.NoError(t, err)
			expect.NoError(t, copying.Begin(t.Context(), to))
			beginLoad(t, to)
			if left := len(indexes(t, dsn)); left >= len(want) {
				t.Errorf("%d indexes of %d", left, len(want))
			}
			expect.NoError(t, copying.Rows(t.Context(), snapshot.Tx, to, func(int) {}))
			expect.NoError(t, copying.Derive(t.Context(), to, func(int) {}))
		}
		fill()
		before := len(indexes(t, dsn))
		// As [write.Load.Finish] does.
		var pending []string
		expect.NoError(t, json.Unmarshal([]byte(listOf[string](t, dsn, "SELECT value FROM settings WHERE id = 'pending_indexes'")[0]), &pending))
		rest, err := json.Marshal(pending[1:])
		expect.NoError(t, err)
		execute(t, dsn, pending[0], "UPDATE settings SET value = '"+string(rest)+"' WHERE id = 'pending_indexes'")
		expect.Equal(t, "indexes", before+1, len(indexes(t, dsn)))
		fill()
		expect.Equal(t, "indexes", before, len(indexes(t, dsn)))
		finishLoad(t, to)
		expect.Equal(t, "indexes", want, indexes(t, dsn))
		snapshot := from.Snapshot()
		defer func() { expect.NoError(t, snapshot.Close()) }()
		digests, err := digest.Of(snapshot.Tx, snapshot.Client()).Indexed(t.Context())
		expect.NoError(t, err)
		other := slices.Clone(digests)
		other[0].Burns = other[0].Mints
		if _, err := copying.End(t.Context(), to, counts, other); err == nil || !strings.Contains(err.Error(), "the source has the digests [Blocks 100 to 129: mints 0x") {
			t.Errorf("a copy of other records: %v", err)
		}
		got, err := copying.End(t.Context(), to, counts, digests)
		expect.NoError(t, err)
		expect.Equal(t, "counts", counts, got)
		wantClean(t, "a copy", to)
	})
}
