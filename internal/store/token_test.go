package store_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/document"
	"mintburn/internal/store/page"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// tokenModel is a model of PutMetadata: the expected metadata of tokens.
type tokenModel map[nft.TokenKey]*nft.TokenMetadata

func (s tokenModel) put(m nft.TokenMetadata) {
	old := s[m.TokenKey]
	m.Type, m.UpdatedAt, m.State = nft.ERC721, m.FetchedAt, nft.Resolved
	if old != nil && old.FetchedAt > m.FetchedAt {
		return
	}
	if old != nil && old.Raw == m.Raw {
		m.UpdatedAt = old.UpdatedAt
	}
	s[m.TokenKey] = &m
}

// sorted returns the tokens of a collection by id, with their trait counts: the number of
// distinct values of each trait in the collection.
func (s tokenModel) sorted(contract evm.Address) []*nft.TokenMetadata {
	values := map[string]map[string]bool{}
	var list []*nft.TokenMetadata
	for key, m := range s {
		if key.Contract != contract {
			continue
		}
		copied := *m
		copied.Attributes = slices.Clone(m.Attributes)
		list = append(list, &copied)
		for _, a := range m.Attributes {
			if values[a.TraitType] == nil {
				values[a.TraitType] = map[string]bool{}
			}
			values[a.TraitType][a.Value] = true
		}
	}
	for _, m := range list {
		for i, a := range m.Attributes {
			if a.TraitCount == nil {
				m.Attributes[i].TraitCount = ptr(evm.Long(len(values[a.TraitType])))
			}
		}
	}
	slices.SortFunc(list, func(a, b *nft.TokenMetadata) int { return a.TokenID.Cmp(b.TokenID) })
	return list
}

// document returns metadata that depends on few random choices, so that values, documents
// and fetch times repeat.
func doc(rng *rand.Rand, key nft.TokenKey) nft.TokenMetadata {
	m := nft.TokenMetadata{TokenKey: key, FetchedAt: uint64(1000 + rng.IntN(6)), URI: "ipfs://x"}
	m.Name = ptr(fmt.Sprintf("name %d \u2603 <&>", rng.IntN(3)))
	if rng.IntN(2) == 0 {
		m.Description, m.ImageData = ptr("line\nline"), ptr("<svg/>")
	}
	for n := range rng.IntN(4) {
		a := nft.Attribute{TraitType: fmt.Sprintf("trait %d", rng.IntN(4)), Value: fmt.Sprintf("value %d", rng.IntN(4)), Order: evm.Long(n + 1)}
		if rng.IntN(5) == 0 {
			a.TraitCount, a.MaxValue = ptr(evm.Long(77)), ptr(2.5)
		}
		m.Attributes = append(m.Attributes, a)
	}
	raw, err := json.Marshal([]any{m.Name, m.Description, m.Attributes})
	if err != nil {
		panic(err)
	}
	m.Raw = string(raw)
	return m
}

func tokenIDs() []evm.Uint256 {
	ids := bigIDs()
	for i := range uint64(20) {
		ids = append(ids, evm.NewUint256(3*i+2), evm.NewUint256(1<<(2*i)+7))
	}
	return ids
}

// sameMetadata treats a nil and an empty list of attributes alike.
var sameMetadata = cmpopts.EquateEmpty()

func TestPutMetadata_RandomDocuments(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		for _, seed := range seeds(t, 2) {
			t.Logf("to repeat: MINTBURN_SEED=%d", seed)
			rng := rand.New(rand.NewPCG(seed, 3))
			s, want := open(t, dsn, write.Options{}), tokenModel{}
			ids := tokenIDs()
			for range 12 {
				var batch []nft.TokenMetadata
				for range 25 {
					key := nft.TokenKey{Contract: collection(int(seed)*10 + rng.IntN(2)), TokenID: ids[rng.IntN(len(ids))]}
					m := doc(rng, key)
					want.put(m)
					batch = append(batch, m)
				}
				// The second time changes nothing, except for tokens that the
				// batch itself repeats.
				expect.NoError(t, s.PutMetadata(t.Context(), batch))
			}
			var again []nft.TokenMetadata
			for _, m := range want {
				again = append(again, *m)
			}
			for _, batch := range [][]nft.TokenMetadata{nil, again} {
				expect.NoError(t, s.PutMetadata(t.Context(), batch))
				for c := range 2 {
					contract := collection(int(seed)*10 + c)
					wantTokens(t, s, contract, want.sorted(contract))
				}
			}
		}
	})
}

// wantTokens checks all tokens of a collection, in every way to read them.
func wantTokens(t *testing.T, s *write.DB, contract evm.Address, want []*nft.TokenMetadata) {
	t.Helper()
	each(t, s, func(snap *store.Snapshot) {
		p := tokensOf(t, snap, contract, nil, page.Args{First: ptr(1000)})
		expect.Equal(t, "tokens", want, plainAll(t, p.Items), sameMetadata)
		if total, err := p.Total(t.Context()); err != nil || total != int64(len(want)) {
			t.Errorf("got total %d and error %v, want %d", total, err, len(want))
		}
		var keys []nft.TokenKey
		for _, m := range want {
			keys = append(keys, m.TokenKey, m.TokenKey)
			one, err := readMetadata(t.Context(), snap, contract, &m.TokenID, page.Args{})
			if err != nil || len(one.Items) != 1 {
				t.Fatalf("token %s: got error %v", m.TokenID, err)
			}
			node, err := snap.Node(t.Context(), store.MetadataNodeID(m.TokenKey), page.Selected{Texts: read.AllTexts})
			if err != nil || node == nil {
				t.Fatalf("node of token %s: got %v, %v", m.TokenID, node, err)
			}
			expect.Equal(t, "token alone", []*nft.TokenMetadata{m, m}, plainAll(t, []*document.TokenMetadata{one.Items[0], node.Metadata}), sameMetadata)
		}
		found, err := snap.MetadataOf(t.Context(), append(keys, nft.TokenKey{Contract: contract, TokenID: evm.NewUint256(999_999)}, nft.TokenKey{Contract: collection(unknown)}), read.AllTexts)
		if err != nil || len(found) != len(want) {
			t.Errorf("metadata of all: got %d and error %v, want %d", len(found), err, len(want))
		}
	})
}

func TestTokens_Laws(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		rng := rand.New(rand.NewPCG(1, 3))
		s, known := open(t, dsn, write.Options{}), tokenModel{}
		add := func(c int, ids []evm.Uint256) {
			var batch []nft.TokenMetadata
			for _, id := range ids {
				m := doc(rng, nft.TokenKey{Contract: collection(c), TokenID: id})
				known.put(m)
				batch = append(batch, m)
			}
			expect.NoError(t, s.PutMetadata(t.Context(), batch))
		}
		add(0, tokenIDs())
		add(1, bigIDs()[3:6])
		add(2, bigIDs()[:1])
		snap := snapshot(t, s)
		for _, c := range []int{0, 1, 2, unknown} {
			checkLaws(tokenBook(t, snap, known, collection(c), nil))
		}
		for _, id := range []evm.Uint256{bigIDs()[0], bigIDs()[7], evm.NewUint256(123_456)} {
			checkLaws(tokenBook(t, snap, known, collection(0), &id))
		}
	})
}

// tokenBook returns the list of a collection's tokens.
func tokenBook(t *testing.T, snap *store.Snapshot, known tokenModel, contract evm.Address, id *evm.Uint256) book[evm.Uint256] {
	var want []evm.Uint256
	for _, m := range known.sorted(contract) {
		if id == nil || m.TokenID == *id {
			want = append(want, m.TokenID)
		}
	}
	return book[evm.Uint256]{T: t, name: fmt.Sprint("tokens of ", contract, " ", id), want: want, read: func(args page.Args) view[evm.Uint256] {
		t.Helper()
		p := tokensOf(t, snap, contract, id, args)
		v := view[evm.Uint256]{about: describePage(t, p, args)}
		for i, m := range p.Items {
			v.items = append(v.items, m.TokenID)
			v.cursors = append(v.cursors, p.Cursor(i))
		}
		return v
	}}
}

func TestPutMetadata_UpdatedAt(t *testing.T) {
	key := nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(5)}
	steps := []struct {
		name             string
		fetched          uint64
		raw              string
		wantRaw          string
		updated, lastRun uint64
	}{
		{"first", 100, "a", "a", 100, 100},
		{"the same later", 200, "a", "a", 100, 200},
		{"another", 300, "b", "b", 300, 300},
		{"an older fetch", 250, "c", "b", 300, 300},
		{"the first again", 400, "a", "a", 400, 400},
		{"at the same time", 400, "d", "d", 400, 400},
		{"the same at the same time", 400, "d", "d", 400, 400},
	}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for _, step := range steps {
			m := nft.TokenMetadata{TokenKey: key, FetchedAt: step.fetched, UpdatedAt: 7, Raw: step.raw, URI: "u" + step.raw, Metadata: nft.Metadata{Name: ptr(step.raw)}}
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
			want := nft.TokenMetadata{TokenKey: key, Type: nft.ERC721, State: nft.Resolved, FetchedAt: step.lastRun, UpdatedAt: step.updated, Raw: step.wantRaw, URI: "u" + step.wantRaw, Metadata: nft.Metadata{Name: &step.wantRaw}}
			expect.Equal(t, step.name, &want, metadataOf(t, s, key.Contract, 5), sameMetadata)
		}
	})
}

// TestPutMetadata_AnyText stores texts that one of the databases might refuse, and reads
// them.
func TestPutMetadata_AnyText(t *testing.T) {
	texts := []string{"", "\x00", "a\x00b", "a\xffb", "\uFFFD", "'; DROP TABLE tokens; --", "\U0001F600", "%s $1 ?", `\x00`, `\`, "{id}"}
	wanted := map[string]string{"\x00": "\uFFFD", "a\x00b": "a\uFFFDb", "a\xffb": "a\uFFFDb"}
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		for i, text := range texts {
			m := nft.TokenMetadata{
				TokenKey: nft.TokenKey{Contract: collection(0), TokenID: evm.NewUint256(uint64(i))}, FetchedAt: 5, Raw: text, URI: text,
				Metadata: nft.Metadata{Name: &text, ImageData: &text, Attributes: []nft.Attribute{{TraitType: text, Value: text, Order: 1}}},
			}
			want, ok := wanted[text]
			if !ok {
				want = text
			}
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
			if g := metadataOf(t, s, collection(0), uint64(i)); g == nil || *g.Name != want || *g.ImageData != want || g.Attributes[0].Value != want || g.Raw != want || g.URI != want {
				t.Errorf("%q is read as %+v", text, g)
			}
			// A text that is stored with replacements does not count as changed each time.
			m.FetchedAt = 6
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{m}))
			expect.Equal(t, fmt.Sprintf("%q, again: updated at", text), uint64(5), metadataOf(t, s, collection(0), uint64(i)).UpdatedAt)
		}
	})
}

// TestTokens_TypeOfTheCollection checks that the records of a collection determine its
// type, or its URI if there are none yet.
func TestTokens_TypeOfTheCollection(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		apply(t, s, branch(1, 1, 100, blockHash(1, 99), 60, between(9, 0)))
		for _, test := range []struct {
			collection int
			uri        string
			want       nft.ContractType
		}{
			{1, "x/{id}", nft.ERC721}, {2, "x", nft.ERC1155}, {4, "x/{id}", nft.ERC1155}, {5, "x", nft.ERC721},
			{unknown, "x", nft.ERC721}, {unknown + 1, "x/{id}.json", nft.ERC1155},
		} {
			key := nft.TokenKey{Contract: collection(test.collection), TokenID: evm.NewUint256(1)}
			expect.NoError(t, s.PutMetadata(t.Context(), []nft.TokenMetadata{{TokenKey: key, URI: test.uri, Raw: "{}"}}))
			expect.Equal(t, fmt.Sprintf("collection %d with %q", test.collection, test.uri), test.want, metadataOf(t, s, key.Contract, 1).Type)
		}
	})
}
