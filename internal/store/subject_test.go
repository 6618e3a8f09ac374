package store_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/counter"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// facts are the properties of a token or a collection that follow from its records.
type facts struct {
	Type              nft.ContractType
	State             store.TokenState
	First, Last, Burn *row
	// Amounts and numbers are strings, "" for null and "!" for an error.
	Minted, Burned, Supply string
	Mints, Burns           string
}

// subjectOf returns the facts of all records that f selects. whole is set if all blocks are
// known.
func (m model) subjectOf(f store.Filter, whole bool) facts {
	mints, burns := f, f
	mints.Kind, burns.Kind = nft.Mint, nft.Burn
	minted, burned := m.match(mints), m.match(burns)
	var one facts
	all := append(slices.Clone(minted), burned...)
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Block.Number, b.Block.Number), cmp.Compare(a.LogIndex, b.LogIndex), cmp.Compare(a.SubIndex, b.SubIndex))
	})
	latest := all[len(all)-1]
	one.Type = latest.Type
	if len(minted) > 0 {
		one.First, one.Last = &minted[0], &minted[len(minted)-1]
	}
	if len(burned) > 0 {
		one.Burn = &burned[len(burned)-1]
	}
	sum := func(list []row) *big.Int {
		total := new(big.Int)
		for _, r := range list {
			n, _ := new(big.Int).SetString(r.Amount.String(), 10)
			total.Add(total, n)
		}
		return total
	}
	in, out := sum(minted), sum(burned)
	switch left := in.Cmp(out); {
	case one.Type == nft.ERC721 && latest.Kind == nft.Mint, one.Type == nft.ERC1155 && whole && left > 0:
		one.State = store.TokenExists
	case one.Type == nft.ERC721, whole && left == 0:
		one.State = store.TokenBurned
	default:
		one.State = store.TokenUnknown
	}
	if !whole {
		return one
	}
	amount := func(n *big.Int) string {
		if n.BitLen() > 256 {
			return "!"
		}
		return n.String()
	}
	one.Minted, one.Burned = amount(in), amount(out)
	one.Mints, one.Burns = fmt.Sprint(len(minted)), fmt.Sprint(len(burned))
	if in.Cmp(out) >= 0 {
		one.Supply = amount(new(big.Int).Sub(in, out))
	}
	return one
}

// keys returns the tokens of the records, in order.
func (m model) keys() []nft.TokenKey {
	found := map[nft.TokenKey]bool{}
	for _, kind := range []nft.Kind{nft.Mint, nft.Burn} {
		for r := range m.selected(store.Filter{Kind: kind}) {
			found[nft.TokenKey{Contract: r.Contract, TokenID: r.TokenID}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b nft.TokenKey) int {
		return cmp.Or(bytes.Compare(a.Contract[:], b.Contract[:]), a.TokenID.Cmp(b.TokenID))
	})
}

// factsOf adds the facts of subjects at the end of a block to list, which has their types
// and states already.
func factsOf(t *testing.T, snap *store.Snapshot, subjects []*store.Subject, list []facts, atBlock *evm.Long) []facts {
	t.Helper()
	record := func(kind nft.Kind, last bool, set func(i int, r *row)) {
		page, at, err := snap.Subjects().RecordOf(t.Context(), kind, last, subjects)
		expect.NoError(t, err)
		for i, item := range at {
			if item >= 0 {
				set(i, ptr(rowOf(page.Items[item])))
			}
		}
	}
	record(nft.Mint, false, func(i int, r *row) { list[i].First = r })
	record(nft.Mint, true, func(i int, r *row) { list[i].Last = r })
	record(nft.Burn, true, func(i int, r *row) { list[i].Burn = r })
	for q, set := range []func(i int, text string){
		func(i int, text string) { list[i].Minted = text },
		func(i int, text string) { list[i].Burned = text },
		func(i int, text string) { list[i].Supply = text },
	} {
		amounts, errs, err := snap.Subjects().Amounts(t.Context(), store.Quantity(q), subjects, atBlock)
		expect.NoError(t, err)
		for i := range subjects {
			if errs[i] != nil {
				wantCode(t, "a sum", errs[i], apierror.OutOfRange)
				set(i, "!")
			} else if amounts[i] != nil {
				set(i, amounts[i].String())
			}
		}
	}
	for kind, set := range []func(i int, text string){
		func(i int, text string) { list[i].Mints = text },
		func(i int, text string) { list[i].Burns = text },
	} {
		items, err := snap.Subjects().Items(t.Context(), nft.Kind(kind), subjects, atBlock)
		expect.NoError(t, err)
		for i, n := range items {
			if n != nil {
				set(i, n.String())
			}
		}
	}
	return list
}

// checkTokens compares all tokens, and their amounts as of a block, with the blocks.
func checkTokens(t *testing.T, snap *store.Snapshot, m model, whole bool, at evm.Long, atWhole bool) {
	t.Helper()
	keys := m.keys()
	// Repeated and unknown tokens, at both ends and in between.
	none := nft.TokenKey{Contract: collection(unknown), TokenID: evm.NewUint256(1)}
	nobody := nft.TokenKey{Contract: keys[0].Contract, TokenID: evm.NewUint256(777_777)}
	asked := append(append([]nft.TokenKey{none, keys[len(keys)-1]}, keys...), nobody, keys[0], none)
	tokens, err := snap.Subjects().TokensOf(t.Context(), asked)
	expect.NoError(t, err)
	var subjects []*store.Subject
	var there []*store.Token
	for i, key := range asked {
		if missing := key == none || key == nobody; missing != (tokens[i] == nil) {
			t.Fatalf("token %s of %s: got %v", key.TokenID, key.Contract, tokens[i])
		}
		if tokens[i] != nil {
			expect.Equal(t, "key", key, tokens[i].TokenKey)
			subjects, there = append(subjects, tokens[i].AsSubject()), append(there, tokens[i])
		}
	}
	states, err := snap.Subjects().States(t.Context(), there)
	expect.NoError(t, err)
	got, then := make([]facts, len(there)), make([]facts, len(there))
	for i, token := range there {
		got[i].Type, got[i].State = token.Type, states[i]
	}
	got, then = factsOf(t, snap, subjects, got, nil), factsOf(t, snap, subjects, then, &at)
	for i, token := range there {
		f := store.Filter{Address: &token.Contract, TokenID: &token.TokenKey.TokenID}
		what := fmt.Sprintf("token %s of %s", token.TokenKey.TokenID, token.Contract)
		expect.Equal(t, what, m.subjectOf(f, whole), got[i])
		checkThen(t, what, m, f, at, atWhole, then[i])
	}
}

// checkThen compares amounts and numbers as of a block with the records up to it.
func checkThen(t *testing.T, what string, m model, f store.Filter, at evm.Long, whole bool, got facts) {
	t.Helper()
	want := facts{}
	if whole {
		want = facts{Minted: "0", Burned: "0", Supply: "0", Mints: "0", Burns: "0"}
		f.ToBlock = &at
		for _, f.Kind = range []nft.Kind{nft.Mint, nft.Burn} {
			if m.count(f) > 0 {
				want = m.subjectOf(f, true)
			}
		}
	}
	amounts := func(f facts) [5]string { return [5]string{f.Minted, f.Burned, f.Supply, f.Mints, f.Burns} }
	expect.Equal(t, fmt.Sprint(what, " at block ", at), amounts(want), amounts(got))
}

// subjectBlocks returns two branches that begin at the same block and share their first 60
// blocks.
func subjectBlocks(seed, first uint64) (list, other []nft.Block) {
	list = branch(seed, 1, first, blockHash(1, first-1), 90, between(12, 700))
	fork := list[59].Header
	return list, append(slices.Clone(list[:60]), branch(seed, 2, fork.Number+1, fork.Hash, 40, between(9, 0))...)
}

// TestToken_EqualsOracle compares all tokens with the records, before and after a reorg, on
// a database that begins with block 0, with another block, with a hole, and with a declared
// deployment, which a later record contradicts.
func TestToken_EqualsOracle(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			onStores(t, func(t *testing.T, s *write.DB, _ string) { tokensEqualOracle(t, s, seed, checkTokens) })
		})
	}
}

func tokensEqualOracle(t *testing.T, s *write.DB, seed uint64, check func(t *testing.T, snap *store.Snapshot, m model, whole bool, at evm.Long, atWhole bool)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	first := [...]uint64{0, 1, 500}[seed%3]
	list, other := subjectBlocks(seed, first)
	at := func(blocks []nft.Block) evm.Long { return evm.Long(blocks[rng.IntN(len(blocks))].Header.Number) }
	whole := first == 0
	with := func(m model, whole bool) {
		t.Helper()
		each(t, s, func(snap *store.Snapshot) { check(t, snap, m, whole, at(m), whole) })
	}
	apply(t, s, list)
	with(list, whole)
	rollback(t, s, list[59].Header.Number, other[60:])
	with(other, whole)
	if first == 0 {
		return
	}
	expect.NoError(t, s.Settings().SetDeployment(t.Context(), first))
	with(other, true)
	// An empty block before the deployment contradicts nothing, and is itself known.
	empty := branch(seed, 1, first-1, blockHash(3, 1), 1, func(*rand.Rand, int) int { return 0 })
	apply(t, s, empty)
	with(append(slices.Clone(empty), other...), true)
	if first < 10 {
		return
	}
	// A block with a record contradicts it, and a hole follows the block.
	before := branch(seed, 3, 3, blockHash(3, 2), 1, func(*rand.Rand, int) int { return 4 })
	apply(t, s, before)
	all := slices.Concat(before, empty, other)
	with(all, false)
	each(t, s, func(snap *store.Snapshot) {
		_, _, err := snap.Subjects().Amounts(t.Context(), store.Minted, nil, ptr(evm.Long(first-100)))
		wantCode(t, "atBlock in a hole", err, apierror.BlockNotIndexed)
	})
	if err := s.Settings().SetDeployment(t.Context(), first); err == nil {
		t.Error("a deployment after a record was accepted")
	}
}

// TestToken_None checks that a token without a record is null if all blocks are known, else
// an error.
func TestToken_None(t *testing.T) {
	onStores(t, func(t *testing.T, s *write.DB, _ string) {
		key := nft.TokenKey{Contract: collection(unknown), TokenID: evm.NewUint256(1)}
		none := func() (err error) {
			each(t, s, func(snap *store.Snapshot) {
				tokens, failed := snap.Subjects().TokensOf(t.Context(), []nft.TokenKey{key})
				expect.NoError(t, failed)
				expect.Equal(t, "tokens", []*store.Token{nil}, tokens)
				if err = snap.Subjects().RequireToken(t.Context(), key); fmt.Sprint(err) == "" {
					t.Error("no message")
				}
			})
			return err
		}
		wantCode(t, "of an empty database", none(), apierror.BlockNotIndexed)
		blocks := branch(1, 1, 5, blockHash(1, 4), 20, between(5, 0))
		apply(t, s, blocks)
		e := wantCode(t, "from block 5", none(), apierror.BlockNotIndexed)
		expect.Equal(t, "missing", any([]map[string]uint64{{"fromBlock": 0, "toBlock": 4}}), e.Details["missingRanges"])
		expect.NoError(t, s.Settings().SetDeployment(t.Context(), 5))
		expect.NoError(t, none())
		top := blocks[len(blocks)-1].Header
		apply(t, s, branch(1, 1, top.Number+5, blockHash(1, top.Number+4), 1, between(5, 0)))
		wantCode(t, "with a hole", none(), apierror.BlockNotIndexed)
	})
}

// TestToken_NoneOfMany checks that the reason why tokens do not exist is read once for all
// of them.
func TestToken_NoneOfMany(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, branch(1, 1, 0, evm.Hash{}, 3, between(6, 0)))
		snap := snapshot(t, s)
		sent.take()
		for i := range uint64(50) {
			expect.NoError(t, snap.Subjects().RequireToken(t.Context(), nft.TokenKey{TokenID: evm.NewUint256(i)}))
		}
		if n := len(sent.take()); n == 0 || n > 3 {
			t.Errorf("%d statements for 50 tokens, want at most 3", n)
		}
	})
}

// TestAmounts_Shared checks that the amounts of the same tokens as of one block are read once, and
// that those of tokens with few records come with the tokens.
func TestAmounts_Shared(t *testing.T) {
	blocks := branch(1, 1, 0, evm.Hash{}, 20, between(12, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, blocks)
		// fields returns the number of statements that read records or counters for fields.
		fields := func(keys []nft.TokenKey, quantities ...store.Quantity) (n int) {
			each(t, s, func(snap *store.Snapshot) {
				tokens, err := snap.Subjects().TokensOf(t.Context(), keys)
				expect.NoError(t, err)
				subjects := make([]*store.Subject, len(tokens))
				for i, token := range tokens {
					subjects[i] = token.AsSubject()
				}
				sent.take()
				expect.NoError(t, snap.Tx.Together(t.Context(), 2*len(quantities), func(ctx context.Context, i int) error {
					_, _, err := snap.Subjects().Amounts(ctx, quantities[i/2], subjects, nil)
					return err
				}))
				for _, st := range sent.take() {
					if strings.Contains(st.query, "counters") || strings.Contains(st.query, "amount") {
						n++
					}
				}
			})
			return n
		}
		many, few := byRecords(blocks)
		expect.Equal(t, "statements for minted amounts", 2, fields(many, store.Minted))
		expect.Equal(t, "statements for all amounts", 4, fields(many, store.Minted, store.Burned, store.Supply))
		expect.Equal(t, "statements for tokens with few records", 0, fields(few, store.Minted, store.Burned, store.Supply))
	})
}

// TestAmounts_Collections checks that the row of a collection has its amounts.
func TestAmounts_Collections(t *testing.T) {
	blocks := branch(1, 1, 0, evm.Hash{}, 20, between(12, 0))
	onBoth(t, func(t *testing.T, dsn string) {
		sent := &statements{}
		s := openNoting(t, dsn, sent)
		apply(t, s, blocks)
		each(t, s, func(snap *store.Snapshot) {
			var addresses []evm.Address
			for c := range 7 {
				addresses = append(addresses, collection(c))
			}
			found, err := snap.Subjects().CollectionsOf(t.Context(), addresses)
			expect.NoError(t, err)
			found = slices.DeleteFunc(found, func(c *store.Collection) bool { return c == nil })
			subjects := make([]*store.Subject, len(found))
			for i, c := range found {
				subjects[i] = c.AsSubject()
			}
			sent.take()
			amounts, _, err := snap.Subjects().Amounts(t.Context(), store.Minted, subjects, nil)
			expect.NoError(t, err)
			others := 0
			for i, c := range found {
				want := model(blocks).tally(nft.Mint, c.Address, nil, counter.LastBlock)
				amount, fits := want.Amount.Uint256()
				if !want.Single() {
					others++
				}
				if fits {
					expect.Equal(t, c.Address.String(), amount, *amounts[i])
				}
			}
			if others == 0 || len(found) == 0 {
				t.Error("no collection has records with another amount than 1")
			}
			for _, st := range sent.take() {
				if strings.Contains(st.query, "counters") || strings.Contains(st.query, "amount") {
					t.Errorf("it reads records: %s", st.query)
				}
			}
		})
	})
}
