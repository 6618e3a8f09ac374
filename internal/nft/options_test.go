package nft_test

import (
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

func TestDecode_BurnAddresses(t *testing.T) {
	decoder := nft.Decoder{BurnAddresses: map[evm.Address]bool{dead: true, bob: true, carol: false}}
	nothing := nft.Block{Header: header}
	for name, test := range map[string]struct {
		log  evm.Log
		want nft.Block
	}{
		"transfer to it":             {transfer721(alice, dead, 9), burn721(alice, dead, item{"9", "1", 0})},
		"single to it":               {single(alice, dead, numbers(9, 3)), burn1155(alice, dead, item{"9", "3", 0})},
		"batch to it":                {batch(alice, dead, numbers(64, 128, 1, 7, 1, 70)), burn1155(alice, dead, item{"7", "70", 0})},
		"range to it":                {consecutive(alice, dead, word(3), word(4)), burn721(alice, dead, item{"3", "1", 0}, item{"4", "1", 1})},
		"range to it above the cap":  {consecutive(alice, dead, word(0), maxWord), rejected(consecutive(alice, dead, word(0), maxWord), nft.ReasonCap)},
		"from it to a user":          {transfer721(dead, alice, 9), nothing},
		"from it to zero":            {transfer721(dead, zero, 9), burn721(dead, zero, item{"9", "1", 0})},
		"from one to another":        {transfer721(dead, bob, 9), burn721(dead, bob, item{"9", "1", 0})},
		"from it to itself":          {transfer721(dead, dead, 9), nothing},
		"from zero to it is a mint":  {transfer721(zero, dead, 9), mint721(dead, item{"9", "1", 0})},
		"to zero is still a burn":    {transfer721(alice, zero, 9), burn721(alice, zero, item{"9", "1", 0})},
		"from zero is still a mint":  {transfer721(zero, alice, 9), mint721(alice, item{"9", "1", 0})},
		"to an address set to false": {transfer721(alice, carol, 9), nothing},
		"dirty word that ends like it": {
			newLog(nil, sigTransfer, pad(alice), dirty(dead, 0), word(9)),
			rejected(newLog(nil, sigTransfer, pad(alice), dirty(dead, 0), word(9)), nft.ReasonDirtyAddress),
		},
	} {
		t.Run(name, func(t *testing.T) { checkLog(t, decoder, test.log, test.want) })
	}
}

func TestDecode_Unindexed(t *testing.T) {
	decoder := nft.Decoder{Unindexed: map[evm.Address]bool{collection: true}}
	kitty := func(words ...evm.Hash) evm.Log { return newLog(data(words...), sigTransfer) }
	elsewhere := kitty(pad(zero), pad(alice), word(9))
	elsewhere.Address = bob
	nothing := nft.Block{Header: header}
	for name, test := range map[string]struct {
		log  evm.Log
		want nft.Block
	}{
		"mint":                        {kitty(pad(zero), pad(alice), word(9)), mint721(alice, item{"9", "1", 0})},
		"burn":                        {kitty(pad(alice), pad(zero), word(9)), burn721(alice, zero, item{"9", "1", 0})},
		"between users":               {kitty(pad(alice), pad(bob), word(9)), nothing},
		"zero to zero":                {kitty(pad(zero), pad(zero), word(9)), nothing},
		"a fourth word":               {kitty(pad(zero), pad(alice), word(9), word(8)), mint721(alice, item{"9", "1", 0})},
		"two words":                   {kitty(pad(zero), pad(alice)), rejected(kitty(pad(zero), pad(alice)), nft.ReasonOutside)},
		"no data":                     {newLog(nil, sigTransfer), rejected(newLog(nil, sigTransfer), nft.ReasonOutside)},
		"dirty from":                  {kitty(dirty(zero, 2), pad(alice), word(9)), rejected(kitty(dirty(zero, 2), pad(alice), word(9)), nft.ReasonDirtyAddress)},
		"dirty to":                    {kitty(pad(alice), dirty(zero, 2), word(9)), rejected(kitty(pad(alice), dirty(zero, 2), word(9)), nft.ReasonDirtyAddress)},
		"indexed mint, same contract": {transfer721(zero, alice, 9), mint721(alice, item{"9", "1", 0})},
		"three topics, same contract": {newLog(numbers(9), sigTransfer, pad(zero), pad(alice)), nothing},
		"two topics, same contract":   {newLog(data(pad(alice), word(9), word(9)), sigTransfer, pad(zero)), nothing},
		"another contract":            {elsewhere, nothing},
		"another event, one topic":    {newLog(numbers(0, 1, 2), sig("Birth(address,uint256)")), nothing},
	} {
		t.Run(name, func(t *testing.T) { checkLog(t, decoder, test.log, test.want) })
	}
}

func TestDecode_RangeCap(t *testing.T) {
	for name, test := range map[string]struct {
		rangeCap    uint64
		first, last evm.Hash
		want        int // records; 0 if the log is rejected
	}{
		"default, at the cap":     {0, word(1), word(nft.DefaultRangeCap), nft.DefaultRangeCap},
		"default, one above":      {0, word(0), word(nft.DefaultRangeCap), 0},
		"1, one":                  {1, maxWord, maxWord, 1},
		"1, two":                  {1, word(8), word(9), 0},
		"20000, at the cap":       {20_000, word(7), word(20_006), 20_000},
		"20000, one above":        {20_000, word(7), word(20_007), 0},
		"largest cap, all ids":    {1<<64 - 1, word(0), maxWord, 0},
		"largest cap, 2^64 ids":   {1<<64 - 1, word(0), word(1<<64 - 1), 0},
		"largest cap, 2^64+1 ids": {1<<64 - 1, word(0), twoTo64, 0},
		"largest cap, three ids":  {1<<64 - 1, word(1<<64 - 2), twoTo64, 3},
	} {
		t.Run(name, func(t *testing.T) {
			decoder := nft.Decoder{RangeCap: test.rangeCap}
			log := consecutive(zero, alice, test.first, test.last)
			got, err := decoder.Decode(header, []evm.Log{log})
			expect.NoError(t, err)
			if test.want == 0 {
				expect.Equal(t, "Decode", rejected(log, nft.ReasonCap), got)
				return
			}
			if len(got.Mints) != test.want || len(got.Rejected) != 0 {
				t.Fatalf("%d mints, %d rejected: want %d, 0", len(got.Mints), len(got.Rejected), test.want)
			}
			for i, r := range got.Mints {
				id, ok := evm.Uint256FromWord(test.first).Plus(uint64(i))
				if !ok || r.TokenID != id || r.SubIndex != uint32(i) {
					t.Fatalf("record %d: token %s, sub index %d: want token %s", i, r.TokenID, r.SubIndex, id)
				}
			}
		})
	}
}

// TestDecode_BlockCap checks that the ranges of a block may have a hundred times the cap in
// total, counted in chain order. A range that does not fit is rejected, but a later one may fit.
func TestDecode_BlockCap(t *testing.T) {
	decoder := nft.Decoder{RangeCap: 3}
	mint := func(n uint64) evm.Log { return consecutive(zero, alice, word(1), word(n)) }
	type outcome struct{ mints, burns, rejected int }
	for name, test := range map[string]struct {
		logs []evm.Log
		want outcome
	}{
		"a hundred at the cap":                 {slices.Repeat([]evm.Log{mint(3)}, 100), outcome{300, 0, 0}},
		"one more at the cap":                  {slices.Repeat([]evm.Log{mint(3)}, 101), outcome{300, 0, 1}},
		"a hundred and fifty of two":           {slices.Repeat([]evm.Log{mint(2)}, 150), outcome{300, 0, 0}},
		"and one more of two":                  {slices.Repeat([]evm.Log{mint(2)}, 151), outcome{300, 0, 1}},
		"one does not fit, a smaller one does": {append(slices.Repeat([]evm.Log{mint(3)}, 99), mint(2), mint(3), mint(1)), outcome{300, 0, 1}},
		"burns count too":                      {append(slices.Repeat([]evm.Log{consecutive(alice, zero, word(1), word(3))}, 100), mint(2)), outcome{0, 300, 1}},
		"ranges between users do not":          {append(slices.Repeat([]evm.Log{consecutive(alice, bob, word(1), word(3))}, 200), mint(2)), outcome{2, 0, 0}},
		"nor logs that are already rejected":   {append(slices.Repeat([]evm.Log{mint(4)}, 200), mint(3)), outcome{3, 0, 200}},
		"nor single ids": {
			slices.Concat(slices.Repeat([]evm.Log{mint(3)}, 100), slices.Repeat([]evm.Log{mint(1), transfer721(zero, alice, 9)}, 20)), outcome{340, 0, 0},
		},
		"nor batches": {append(slices.Repeat([]evm.Log{mint(3)}, 100), batch(zero, alice, numbers(64, 64, 2, 517, 3))), outcome{302, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range test.logs {
				test.logs[i].Index = uint32(i)
			}
			block, err := decoder.Decode(header, test.logs)
			expect.NoError(t, err)
			if got := (outcome{len(block.Mints), len(block.Burns), len(block.Rejected)}); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			// The count starts over in the next block.
			if next, err := decoder.Decode(header, []evm.Log{mint(3)}); err != nil || len(next.Mints) != 3 {
				t.Errorf("next block: got %d mints, error %v", len(next.Mints), err)
			}
		})
	}
	logs := slices.Repeat([]evm.Log{mint(3)}, 101)
	for i := range logs {
		logs[i].Index = uint32(i)
	}
	block, err := decoder.Decode(header, logs)
	expect.NoError(t, err)
	expect.Equal(t, "rejected", []nft.Rejected{{Log: logs[100], Reason: nft.ReasonBlockCap}}, block.Rejected)
}

func TestDecode_CapDoesNotLimitBatches(t *testing.T) {
	decoder := nft.Decoder{RangeCap: 1}
	log := batch(zero, alice, numbers(64, 64, 2, 517, 3))
	checkLog(t, decoder, log, mint1155(alice, item{"517", "517", 0}, item{"3", "3", 1}))
}

// at returns the log with another index.
func at(index uint32, log evm.Log) evm.Log {
	log.Index = index
	return log
}

func TestDecode_ChainOrder(t *testing.T) {
	malformed := newLog(nil, sigSingle)
	logs := []evm.Log{
		at(9, transfer721(zero, alice, 1)),
		at(2, malformed),
		at(4, batch(zero, bob, numbers(64, 160, 2, 7, 7, 2, 1, 2))),
		at(0, transfer721(alice, zero, 1)),
		at(3, newLog(nil, word(1))),
		at(8, consecutive(bob, zero, word(3), word(4))),
		at(1, malformed),
		at(1<<32-1, transfer721(zero, alice, 2)),
	}
	given := slices.Clone(logs)
	var decoder nft.Decoder
	got, err := decoder.Decode(header, logs)
	expect.NoError(t, err)
	expect.Equal(t, "Decode changed its argument", given, logs)
	type place struct{ Log, Sub uint32 }
	places := func(records []nft.Record) (ps []place) {
		for _, r := range records {
			ps = append(ps, place{r.LogIndex, r.SubIndex})
		}
		return ps
	}
	expect.Equal(t, "mints", []place{{4, 0}, {4, 1}, {9, 0}, {1<<32 - 1, 0}}, places(got.Mints))
	expect.Equal(t, "burns", []place{{0, 0}, {8, 0}, {8, 1}}, places(got.Burns))
	want := []nft.Rejected{{Log: at(1, malformed), Reason: nft.ReasonTopics}, {Log: at(2, malformed), Reason: nft.ReasonTopics}}
	expect.Equal(t, "rejected", want, got.Rejected)
}

func TestDecode_RemovedAndPendingAreSkipped(t *testing.T) {
	kept := at(1, transfer721(zero, alice, 9))
	removed, pending := transfer721(zero, alice, 8), transfer721(zero, alice, 7)
	removed.Removed, pending.Pending = true, true
	// Removed and pending logs may repeat the index of a valid log.
	removed.Index, pending.Index = 1, 1
	badRemoved, badPending := newLog(nil, sigSingle), newLog(nil, sigSingle)
	badRemoved.Removed, badPending.Pending = true, true

	var decoder nft.Decoder
	for name, test := range map[string]struct {
		logs []evm.Log
		want int
	}{
		"no logs":            {nil, 0},
		"removed alone":      {[]evm.Log{removed}, 0},
		"pending alone":      {[]evm.Log{pending}, 0},
		"two pending":        {[]evm.Log{pending, pending}, 0},
		"malformed ones":     {[]evm.Log{badRemoved, badPending}, 0},
		"before a kept log":  {[]evm.Log{removed, pending, kept}, 1},
		"after a kept log":   {[]evm.Log{kept, pending, removed}, 1},
		"around a kept log":  {[]evm.Log{pending, kept, removed}, 1},
		"no removed, sorted": {[]evm.Log{kept}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := decoder.Decode(header, test.logs)
			expect.NoError(t, err)
			if len(got.Mints) != test.want || len(got.Burns)+len(got.Rejected) != 0 {
				t.Errorf("%d mints, %d burns, %d rejected: want %d, 0, 0", len(got.Mints), len(got.Burns), len(got.Rejected), test.want)
			}
			if got.Header != header {
				t.Errorf("got header %v, want %v", got.Header, header)
			}
		})
	}
}

func TestDecode_NotOneBlock(t *testing.T) {
	mint := transfer721(zero, alice, 9)
	unknown := newLog(nil, word(1))
	span := func(n uint64, from, to evm.Address) evm.Log { return consecutive(from, to, word(1), word(n)) }
	for name, test := range map[string]struct {
		logs []evm.Log
		want string
	}{
		"same index, side by side": {[]evm.Log{at(3, mint), at(3, mint)}, "two logs with index 3"},
		"same index, apart":        {[]evm.Log{at(3, mint), at(4, mint), at(3, unknown)}, "two logs with index 3"},
		"same index, both unknown": {[]evm.Log{at(0, unknown), at(0, unknown)}, "two logs with index 0"},
		"2^30 mints in one log":    {[]evm.Log{span(1<<30, zero, alice)}, "more than 1073741823 mints"},
		"2^64-1 burns in one log":  {[]evm.Log{span(1<<64-1, alice, zero)}, "more than 1073741823 burns"},
		"2^30 mints in two logs":   {[]evm.Log{at(1, mint), at(2, span(1<<30-1, zero, alice))}, "more than 1073741823 mints"},
		"2^30 burns and a mint":    {[]evm.Log{at(1, mint), at(2, transfer721(alice, zero, 9)), at(3, span(1<<30-1, alice, zero))}, "more than 1073741823 burns"},
	} {
		t.Run(name, func(t *testing.T) {
			decoder := nft.Decoder{RangeCap: 1<<64 - 1}
			got, err := decoder.Decode(header, test.logs)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "block 7") {
				t.Errorf("got error %v, want %q for block 7", err, test.want)
			}
			expect.Equal(t, "block with an error", nft.Block{}, got)
		})
	}
}
