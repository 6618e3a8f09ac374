package graph_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/graph"
	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
	"mintburn/internal/testing/storetest"
)

// now is the time in all tests, long after any block's.
func now() time.Time { return time.Unix(2_000_000_000, 0) }

// open opens an empty database until the end of the test.
func open(t testing.TB) *write.DB {
	t.Helper()
	return openAt(t, storetest.SQLite(t))
}

// openAt opens a database until the end of the test.
func openAt(t testing.TB, dsn string) *write.DB {
	t.Helper()
	s, err := write.Open(t.Context(), dsn, write.Options{})
	expect.NoError(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// blocks generates n blocks of 20 records in a few collections.
func blocks(n int, seed uint64) (list []nft.Block) {
	o := chaintest.Default()
	o.Seed, o.Blocks, o.Records, o.Collections, o.Accounts = seed, n, 20, 8, 12
	for b := range chaintest.Blocks(o) {
		block := b.Block
		block.Mints, block.Burns = slices.Clone(b.Mints), slices.Clone(b.Burns)
		for i := range uint32(4) {
			tx := evm.Transaction{Index: i}
			tx.From, tx.Value = evm.Address{byte(i)}, evm.NewUint256(uint64(i)<<40)
			if i > 1 {
				tx.To, tx.Fee = &evm.Address{7}, ptr(evm.NewUint256(uint64(n)))
			}
			block.Transactions = append(block.Transactions, tx)
		}
		list = append(list, block)
	}
	return list
}

func apply(t testing.TB, s *write.DB, list []nft.Block) {
	t.Helper()
	if _, err := s.Apply(t.Context(), list); err != nil {
		t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }

// document returns metadata of a token; different i produce every shape.
func document(key nft.TokenKey, i int) nft.TokenMetadata {
	m := nft.TokenMetadata{TokenKey: key, FetchedAt: 1_700_000_000 + uint64(i), URI: "ipfs://Qm/" + key.TokenID.String(), Raw: fmt.Sprintf(`{"n": %d}`, i)}
	if i%5 == 0 {
		return m
	}
	m.Name, m.Description = ptr(fmt.Sprint("Token #", i)), ptr("\"quoted\" \\ and\tmore\r\n\x01\x1f\x7f\u2028 <b>&amp; 日本 \U0001f600")
	m.Image, m.BackgroundColor = ptr("https://example.org/a.png?b=1&c=2"), ptr("00ff00")
	m.Attributes = []nft.Attribute{{TraitType: "level", Value: fmt.Sprint(i % 7), MaxValue: ptr(float64(i) * 1e5 / 3), Order: 1}, {Value: "a \"b\"", Order: 2}}
	if i%3 == 0 {
		m.ExternalURL, m.ImageData, m.YoutubeURL, m.AnimationURL = ptr("e"), ptr("<svg>\n</svg>"), ptr("y"), ptr("a")
		m.Attributes[0].TraitCount, m.Attributes[1].MaxValue = ptr(evm.Long(i)), ptr(1e21)
		m.Attributes[1].DisplayType = "a \"b\""
		m.Attributes = append(m.Attributes, nft.Attribute{TraitType: "big", Value: "1", MaxValue: ptr(-1e-7), Order: evm.MaxLong})
	}
	return m
}

// describe stores metadata for half of the minted tokens, and lets fetches of others fail, at
// once or after a successful one.
func describe(t testing.TB, s *write.DB, list []nft.Block) {
	t.Helper()
	var items []nft.TokenMetadata
	for _, b := range list {
		for _, r := range b.Mints {
			if len(items) < len(list)*10 {
				items = append(items, document(nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}, len(items)))
			}
		}
	}
	former := slices.Clone(items)
	for i := range former {
		former[i].Raw += " "
		former[i].FetchedAt--
	}
	for _, some := range [][]nft.TokenMetadata{former[:len(former)/2], items} {
		expect.NoError(t, s.PutMetadata(t.Context(), some))
	}
	queue := write.NewQueue(s, write.QueueOptions{Now: now})
	finish := func(limit int, how func(i int, r *nft.Resolution)) {
		tasks, err := queue.Claim(t.Context(), limit)
		expect.NoError(t, err)
		var results []nft.Resolution
		for i, task := range tasks {
			r := nft.Resolution{Task: task, At: uint64(now().Unix()), URI: "u"}
			how(i, &r)
			results = append(results, r)
		}
		expect.NoError(t, queue.Finish(t.Context(), results))
	}
	finish(60, func(i int, r *nft.Resolution) {
		m := document(r.TokenKey, i)
		r.Document, r.NextAt = &m, r.At
	})
	finish(1000, func(i int, r *nft.Resolution) {
		if r.Problem = "no \"answer\""; i%2 == 0 {
			r.NextAt = r.At + 60
		}
	})
	// Most collections are fetched, some with a document or a failure.
	finish(3, func(i int, r *nft.Resolution) {
		name, symbol := fmt.Sprint("Straße ", i), ""
		if r.Collection = (&nft.CollectionResult{Name: &name, Symbol: &symbol}); i == 1 {
			document := "Doc"
			r.Collection.Document, r.Collection.Raw = &nft.CollectionMetadata{Symbol: &document, Collaborators: []evm.Address{r.Contract}}, `{"symbol":"Doc"}`
		} else if i == 2 {
			r.Problem, r.NextAt = "no answer", r.At+60
		}
	})
}

// newAsker returns an executor of a schema over a store.
func newAsker(s *write.DB, schema graphql.ExecutableSchema) fasttest.Asker {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	a := fasttest.NewAsker(schema)
	a.SetErrorPresenter(graph.PresentError(log))
	a.SetRecoverFunc(graph.Recover(log))
	a.Use(graph.Snapshots{Store: func(context.Context) *read.DB { return s.DB }, Prover: func(context.Context) graph.Prover { return anyProof{} }})
	return a
}

// anyProof has a proof for each block that has a hash, without a node.
type anyProof struct{}

func (anyProof) Proof(_ context.Context, block evm.BlockRef) (evm.BlockProof, error) {
	if block.Hash.IsZero() {
		return evm.BlockProof{}, apierror.Errorf(apierror.Unavailable, "no such block")
	}
	return evm.BlockProof{Block: evm.Header{BlockRef: block}, Header: evm.Bytes(block.Hash[:]), Receipts: []evm.Bytes{"\x01", ""}}, nil
}
