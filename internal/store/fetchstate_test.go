package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

// TestMetadataOf_StatesOfAToken takes one token through all states, and reads it in every
// way after each step.
func TestMetadataOf_StatesOfAToken(t *testing.T) {
	a := collection(2)
	key := nft.TokenKey{Contract: a, TokenID: evm.NewUint256(1)}
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		mints := drop(100, a, 1, 2)
		for i := range mints.Mints {
			mints.Mints[i].Type = nft.ERC1155
		}
		apply(t, s, []nft.Block{mints})
		var task nft.Task
		next := func() { t.Helper(); task = claimToken(t, q, key) }
		number := uint64(100)
		event := func() {
			number++
			apply(t, s, []nft.Block{with(drop(number, a, 0, 0), a, 1, 1)})
			// Events are processed when a worker claims tokens.
			claim(t, c.queue(s, collection(unknown)), 1)
		}
		text := func(raw string) nft.Metadata {
			return nft.Metadata{Name: &raw, Attributes: []nft.Attribute{{TraitType: "raw", Value: raw, TraitCount: ptr(evm.Long(1)), Order: 1}}}
		}
		failed := func(problem, uri string, wait uint64) {
			r := c.failed(task, problem, wait)
			r.URI = uri
			finish(t, q, r)
		}
		start := c.now
		for _, step := range []struct {
			name string
			do   func()
			want *nft.TokenMetadata
		}{
			{"minted", func() {}, nil},
			{"claimed", next, nil},
			{"failed", func() { failed("no answer", "", 9) },
				&nft.TokenMetadata{FetchedAt: start, State: nft.Failed, Error: "no answer", Attempts: 1, NextTry: start + 9}},
			{"claimed again", func() { c.now += 9; next() },
				&nft.TokenMetadata{FetchedAt: start, State: nft.Failed, Error: "no answer", Attempts: 1}},
			{"failed permanently", func() { c.now++; failed("not \x00JSON", "ipfs://{id}", 0) },
				&nft.TokenMetadata{FetchedAt: start + 10, URI: "ipfs://{id}", State: nft.Failed, Error: "not \uFFFDJSON", Attempts: 2}},
			{"an event", event,
				&nft.TokenMetadata{FetchedAt: start + 10, URI: "ipfs://{id}", State: nft.Failed, Error: "not \uFFFDJSON", Attempts: 2, NextTry: start + 10}},
			{"fetched", func() { next(); c.now++; finish(t, q, c.fetched(task, "one")) },
				&nft.TokenMetadata{FetchedAt: start + 11, UpdatedAt: start + 11, URI: "u", Raw: "one", State: nft.Resolved, Metadata: text("one")}},
			{"another event", event,
				&nft.TokenMetadata{FetchedAt: start + 11, UpdatedAt: start + 11, URI: "u", Raw: "one", State: nft.Pending, NextTry: start + 11, Metadata: text("one")}},
			{"claimed a third time", next,
				&nft.TokenMetadata{FetchedAt: start + 11, UpdatedAt: start + 11, URI: "u", Raw: "one", State: nft.Pending, Metadata: text("one")}},
			{"the same document", func() {
				c.now++
				r := c.fetched(task, "one")
				r.NextAt = c.now + 1000
				finish(t, q, r)
			},
				&nft.TokenMetadata{FetchedAt: start + 12, UpdatedAt: start + 11, URI: "u", Raw: "one", State: nft.Resolved, NextTry: start + 1012, Metadata: text("one")}},
			{"failed with a document", func() { c.now += 1000; next(); failed("gone", "ipfs://new", 5) },
				&nft.TokenMetadata{FetchedAt: start + 12, UpdatedAt: start + 11, URI: "u", Raw: "one", State: nft.Failed, Error: "gone", Attempts: 1, NextTry: start + 1017, Metadata: text("one")}},
			{"burned", func() {
				number++
				b := drop(number, a, 1, 1)
				b.Burns, b.Mints = b.Mints, nil
				b.Burns[0].Kind, b.Burns[0].From, b.Burns[0].To, b.Burns[0].Type = nft.Burn, account(0), evm.Address{}, nft.ERC1155
				apply(t, s, []nft.Block{b})
			},
				&nft.TokenMetadata{FetchedAt: start + 12, UpdatedAt: start + 11, URI: "u", Raw: "one", State: nft.Failed, Error: "gone", Attempts: 1, NextTry: start + 1017, Metadata: text("one")}},
			{"changed", func() { c.now += 5; next(); finish(t, q, c.fetched(task, "two")) },
				&nft.TokenMetadata{FetchedAt: start + 1017, UpdatedAt: start + 1017, URI: "u", Raw: "two", State: nft.Resolved, Metadata: text("two")}},
		} {
			step.do()
			if step.want != nil {
				step.want.TokenKey, step.want.Type = key, nft.ERC1155
			}
			wantToken(t, s, step.name, key, step.want)
		}
	})
}

// claimToken claims tokens until it gets the given one, and keeps the others.
func claimToken(t *testing.T, q *write.Queue, key nft.TokenKey) nft.Task {
	t.Helper()
	for tasks := range claims(t, q, 1) {
		if tasks[0].TokenKey == key {
			return tasks[0]
		}
	}
	t.Fatalf("%v is not due", key)
	return nft.Task{}
}

// wantToken reads one token in every way; want is nil if nothing is known of it.
func wantToken(t *testing.T, s *write.DB, when string, key nft.TokenKey, want *nft.TokenMetadata) {
	t.Helper()
	check := func(how string, got *document.TokenMetadata, err error) {
		t.Helper()
		if diff := cmp.Diff(want, plain(t, got), sameMetadata); err != nil || diff != "" {
			t.Errorf("%s, %s: error %v (-want +got):\n%s", when, how, err, diff)
		}
	}
	each(t, s, func(snap *store.Snapshot) {
		found, err := snap.MetadataOf(t.Context(), []nft.TokenKey{key}, read.AllTexts)
		check("by its key", found[key], err)
		node, err := snap.Node(t.Context(), store.MetadataNodeID(key), page.Selected{Texts: read.AllTexts})
		if node == nil {
			node = &store.Node{}
		}
		check("by its id", node.Metadata, err)
		listed := pageOf(t, snap, store.Filter{Address: &key.Contract, TokenID: &key.TokenID}, page.Args{})
		found, err = listed.Metadata(t.Context(), allTexts)
		check("with its mint", found[key], err)
		for id, listed := range map[*evm.Uint256]bool{&key.TokenID: want != nil, nil: want != nil && want.Raw != ""} {
			p := tokensOf(t, snap, key.Contract, id, page.Args{})
			n := 0
			for _, m := range p.Items {
				if m.TokenID == key.TokenID {
					check(fmt.Sprint("in the list of ", id), m, nil)
					n++
				}
			}
			total, err := p.Total(t.Context())
			if listed != (n == 1) || err != nil || total != int64(len(p.Items)) {
				t.Errorf("%s, in the list of %v: %d times, total %d, error %v, want it there: %v", when, id, n, total, err, listed)
			}
		}
	})
}

// TestTokens_FailedToken checks that a token whose fetch failed obeys the pagination laws
// like one with a document.
func TestTokens_FailedToken(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c := open(t, dsn, write.Options{}), newClock()
		apply(t, s, []nft.Block{drop(100, a, 5, 1)})
		q := c.queue(s)
		finish(t, q, c.failed(claim(t, q, 1)[0], "x", 0))
		id := evm.NewUint256(5)
		known := tokenModel{{Contract: a, TokenID: id}: {TokenKey: nft.TokenKey{Contract: a, TokenID: id}}}
		snap := snapshot(t, s)
		checkLaws(tokenBook(t, snap, known, a, &id))
		checkLaws(tokenBook(t, snap, tokenModel{}, a, nil))
	})
}
