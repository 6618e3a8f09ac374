package indexer_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/vm"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// supplied is a contract or token whose contract returns its supply.
type supplied struct {
	Address evm.Address
	// ID is the token's, nil for a whole ERC-721 collection.
	ID *evm.Uint256
	// Total is the supply at the head of the recorded chain.
	Total evm.Uint256 `json:"totalSupply"`
}

// totalSupply calls totalSupply() of ERC-721's enumeration or totalSupply(uint256) on the
// state after a block. It returns 0 before the contract exists.
func (g *gethChain) totalSupply(of supplied, number uint64) string {
	g.t.Helper()
	header := g.chain.GetHeaderByNumber(number)
	states, err := g.chain.StateAt(header.Root, header.Number, header.Time)
	expect.NoError(g.t, err)
	input := common.FromHex("0x18160ddd")
	if of.ID != nil {
		id := of.ID.Word()
		input = append(common.FromHex("0xbd85b039"), id[:]...)
	}
	machine := vm.NewEVM(core.NewEVMBlockContext(header, g.chain, nil), states, g.config, vm.Config{})
	answer, _, err := machine.StaticCall(common.Address{}, common.Address(of.Address), input, vm.NewGasBudget(1_000_000, 0))
	expect.NoError(g.t, err)
	return new(big.Int).SetBytes(answer).String()
}

// checkSupplies compares the stored supply of each contract and token with the result of
// totalSupply, after the last block and after random ones.
func (r *rig) checkSupplies(t *testing.T, g *gethChain, random *rand.Rand) {
	t.Helper()
	list := chaintest.Values[supplied](t, "chain-a/supply.ndjson")
	head := uint64(len(g.known) - 1)
	at := []uint64{head}
	for range 20 {
		at = append(at, random.Uint64N(head))
	}
	for _, number := range at {
		for i, got := range r.supplies(t, list, number) {
			if got == nil {
				t.Errorf("%v, block %d: no supply", list[i], number)
			} else if want := g.totalSupply(list[i], number); got.String() != want {
				t.Errorf("%v, block %d: got a supply of %s, want %s", list[i], number, got, want)
			}
		}
	}
}

// supplies returns the stored supply of each subject after a block, nil if it is unknown.
func (r *rig) supplies(t *testing.T, list []supplied, number uint64) []*evm.Uint256 {
	t.Helper()
	snap := store.NewSnapshot(r.store.Snapshot())
	defer func() { expect.NoError(t, snap.Close()) }()
	// The collections, and then the tokens.
	var subjects [2][]*store.Subject
	var places [2][]int
	for i, of := range list {
		if of.ID == nil {
			found, err := snap.Subjects().CollectionsOf(t.Context(), []evm.Address{of.Address})
			expect.NoError(t, err)
			subjects[0], places[0] = append(subjects[0], found[0].AsSubject()), append(places[0], i)
			continue
		}
		found, err := snap.Subjects().TokensOf(t.Context(), []nft.TokenKey{{Contract: of.Address, TokenID: *of.ID}})
		expect.NoError(t, err)
		subjects[1], places[1] = append(subjects[1], found[0].AsSubject()), append(places[1], i)
	}
	at, all := evm.Long(number), make([]*evm.Uint256, len(list))
	for sort := range subjects {
		amounts, errs, err := snap.Subjects().Amounts(t.Context(), store.Supply, subjects[sort], &at)
		expect.NoError(t, err)
		for k, i := range places[sort] {
			expect.NoError(t, errs[k])
			all[i] = amounts[k]
		}
	}
	return all
}

// checkLateStart has another follower start after the first blocks. It must not know the
// supply of any ERC-1155 token.
func (r *rig) checkLateStart(t *testing.T, g *gethChain) {
	t.Helper()
	list := slices.DeleteFunc(chaintest.Values[supplied](t, "chain-a/supply.ndjson"), func(of supplied) bool { return of.ID == nil })
	late := follow(t, storetest.SQLite(t), jsonrpc.Options{}, g.node)
	late.From = 3
	late.settle(t)
	for i, got := range late.supplies(t, list, uint64(len(g.known)-1)) {
		if got != nil {
			t.Errorf("%v, from block %d: got a supply of %s, want null", list[i], late.From, got)
		}
	}
}
