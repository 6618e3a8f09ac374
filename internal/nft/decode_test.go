package nft_test

import (
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// item holds the fields in which the records of one log differ.
type item struct {
	id, amount string
	sub        uint32
}

func mint721(to evm.Address, items ...item) nft.Block {
	return blockOf(nft.Mint, nft.ERC721, zero, zero, to, items)
}

func burn721(from, to evm.Address, items ...item) nft.Block {
	return blockOf(nft.Burn, nft.ERC721, zero, from, to, items)
}

func mint1155(to evm.Address, items ...item) nft.Block {
	return blockOf(nft.Mint, nft.ERC1155, carol, zero, to, items)
}

func burn1155(from, to evm.Address, items ...item) nft.Block {
	return blockOf(nft.Burn, nft.ERC1155, carol, from, to, items)
}

// blockOf returns the decoded block of one log from newLog.
func blockOf(kind nft.Kind, typ nft.ContractType, operator, from, to evm.Address, items []item) nft.Block {
	records := make([]nft.Record, len(items))
	for i, it := range items {
		records[i] = nft.Record{
			Kind: kind, Contract: collection, Type: typ, Operator: operator, From: from, To: to,
			TokenID: number(it.id), Amount: number(it.amount), TxHash: txHash, TxIndex: txIndex, LogIndex: 5, SubIndex: it.sub,
		}
	}
	if kind == nft.Mint {
		return nft.Block{Header: header, Mints: records}
	}
	return nft.Block{Header: header, Burns: records}
}

// rejected returns the decoded block of one rejected log.
func rejected(log evm.Log, reason string) nft.Block {
	return nft.Block{Header: header, Rejected: []nft.Rejected{{Log: log, Reason: reason}}}
}

// checkLog decodes a block with one log and compares the result.
func checkLog(t *testing.T, decoder nft.Decoder, log evm.Log, want nft.Block) {
	t.Helper()
	got, err := decoder.Decode(header, []evm.Log{log})
	expect.NoError(t, err)
	expect.Equal(t, "Decode", want, got)
}

func number(text string) evm.Uint256 {
	n, err := evm.ParseUint256(text)
	if err != nil {
		panic(err)
	}
	return n
}

const maxID = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

func TestDecode_Standard(t *testing.T) {
	nothing := nft.Block{Header: header}
	for name, test := range map[string]struct {
		log  evm.Log
		want nft.Block
	}{
		// ERC-721.
		"transfer from zero is a mint":              {transfer721(zero, alice, 9), mint721(alice, item{"9", "1", 0})},
		"transfer to zero is a burn":                {transfer721(alice, zero, 9), burn721(alice, zero, item{"9", "1", 0})},
		"transfer between users":                    {transfer721(alice, bob, 9), nothing},
		"transfer to oneself":                       {transfer721(alice, alice, 9), nothing},
		"transfer from zero to zero":                {transfer721(zero, zero, 9), nothing},
		"transfer to dead":                          {transfer721(alice, dead, 9), nothing},
		"transfer from dead":                        {transfer721(dead, alice, 9), nothing},
		"mint to dead":                              {transfer721(zero, dead, 9), mint721(dead, item{"9", "1", 0})},
		"transfer from dead to zero":                {transfer721(dead, zero, 9), burn721(dead, zero, item{"9", "1", 0})},
		"mint of the largest id":                    {newLog(nil, sigTransfer, pad(zero), pad(alice), maxWord), mint721(alice, item{maxID, "1", 0})},
		"mint of id 0":                              {transfer721(zero, alice, 0), mint721(alice, item{"0", "1", 0})},
		"mint with data":                            {newLog(numbers(3), sigTransfer, pad(zero), pad(alice), word(9)), mint721(alice, item{"9", "1", 0})},
		"mint with half a word of data":             {newLog([]byte{1}, sigTransfer, pad(zero), pad(alice), word(9)), mint721(alice, item{"9", "1", 0})},
		"three topics are ERC-20":                   {newLog(numbers(9), sigTransfer, pad(zero), pad(alice)), nothing},
		"three topics with a dirty word are ERC-20": {newLog(numbers(9), sigTransfer, dirty(zero, 0), pad(alice)), nothing},
		"two topics":                                {newLog(data(pad(alice), word(9)), sigTransfer, pad(zero)), nothing},
		"five topics":                               {newLog(nil, sigTransfer, pad(zero), pad(alice), word(9), word(9)), nothing},
		"one topic, not allow-listed":               {newLog(data(pad(zero), pad(alice), word(9)), sigTransfer), nothing},

		// ERC-1155, TransferSingle.
		"single mint":                         {single(zero, alice, numbers(9, 3)), mint1155(alice, item{"9", "3", 0})},
		"single burn":                         {single(alice, zero, numbers(9, 3)), burn1155(alice, zero, item{"9", "3", 0})},
		"single between users":                {single(alice, bob, numbers(9, 3)), nothing},
		"single from zero to zero":            {single(zero, zero, numbers(9, 3)), nothing},
		"single to dead":                      {single(alice, dead, numbers(9, 3)), nothing},
		"single mint of amount 0":             {single(zero, alice, numbers(9, 0)), mint1155(alice, item{"9", "0", 0})},
		"single burn of the largest amount":   {single(alice, zero, data(maxWord, maxWord)), burn1155(alice, zero, item{maxID, maxID, 0})},
		"single mint with a third word":       {single(zero, alice, numbers(9, 3, 4)), mint1155(alice, item{"9", "3", 0})},
		"single mint with a byte more":        {single(zero, alice, append(numbers(9, 3), 0xff)), mint1155(alice, item{"9", "3", 0})},
		"single by the zero operator":         {newLog(numbers(9, 3), sigSingle, pad(zero), pad(zero), pad(alice)), blockOf(nft.Mint, nft.ERC1155, zero, zero, alice, []item{{"9", "3", 0}})},
		"single whose operator burns his own": {newLog(numbers(9, 3), sigSingle, pad(alice), pad(alice), pad(zero)), blockOf(nft.Burn, nft.ERC1155, alice, alice, zero, []item{{"9", "3", 0}})},

		// ERC-1155, TransferBatch.
		"batch mint":                   {batch(zero, alice, numbers(64, 160, 2, 7, 8, 2, 70, 80)), mint1155(alice, item{"7", "70", 0}, item{"8", "80", 1})},
		"batch burn":                   {batch(alice, zero, numbers(64, 160, 2, 7, 8, 2, 70, 80)), burn1155(alice, zero, item{"7", "70", 0}, item{"8", "80", 1})},
		"batch between users":          {batch(alice, bob, numbers(64, 128, 1, 7, 1, 70)), nothing},
		"batch from zero to zero":      {batch(zero, zero, numbers(64, 128, 1, 7, 1, 70)), nothing},
		"batch of no elements":         {batch(zero, alice, numbers(64, 96, 0, 0)), nothing},
		"batch sharing an empty array": {batch(zero, alice, numbers(64, 64, 0)), nothing},
		"batch with the same id twice": {batch(zero, alice, numbers(64, 160, 2, 7, 7, 2, 1, 2)), mint1155(alice, item{"7", "1", 0}, item{"7", "2", 1})},
		"batch with amount 0":          {batch(alice, zero, numbers(64, 160, 2, 7, 8, 2, 0, 1)), burn1155(alice, zero, item{"7", "0", 0}, item{"8", "1", 1})},
		"batch with one array shared":  {batch(zero, alice, numbers(64, 64, 2, 517, 3)), mint1155(alice, item{"517", "517", 0}, item{"3", "3", 1})},
		"batch with values before ids": {batch(zero, alice, numbers(128, 64, 1, 70, 1, 7)), mint1155(alice, item{"7", "70", 0})},
		"batch with gaps":              {batch(zero, alice, numbers(96, 224, 999, 1, 7, 999, 999, 1, 70)), mint1155(alice, item{"7", "70", 0})},
		"batch with overlapping arrays": {
			// The only id, 1, is also the length of values.
			batch(zero, alice, numbers(64, 96, 1, 1, 70)),
			mint1155(alice, item{"1", "70", 0}),
		},
		"batch whose arrays lie over the offsets": {
			// At offset 0, the offset word itself is the length, 0.
			batch(zero, alice, numbers(0, 0)), nothing,
		},
		"batch with trailing words": {batch(zero, alice, numbers(64, 128, 1, 7, 1, 70, 0xdead)), mint1155(alice, item{"7", "70", 0})},
		"batch with offsets that are not aligned": {
			batch(zero, alice, slices.Concat(numbers(65, 129), []byte{0xff}, numbers(1, 7, 1, 70))),
			mint1155(alice, item{"7", "70", 0}),
		},
		"batch of the largest numbers": {batch(zero, alice, slices.Concat(numbers(64, 64, 1), maxWord[:])), mint1155(alice, item{maxID, maxID, 0})},

		// EIP-2309.
		"range mint":                    {consecutive(zero, alice, word(3), word(5)), mint721(alice, item{"3", "1", 0}, item{"4", "1", 1}, item{"5", "1", 2})},
		"range burn":                    {consecutive(alice, zero, word(3), word(4)), burn721(alice, zero, item{"3", "1", 0}, item{"4", "1", 1})},
		"range of one":                  {consecutive(zero, alice, word(3), word(3)), mint721(alice, item{"3", "1", 0})},
		"range up to the largest id":    {consecutive(zero, alice, evm.Hash(append(slices.Clone(maxWord[:31]), 0xfe)), maxWord), mint721(alice, item{"0x" + strings.Repeat("f", 63) + "e", "1", 0}, item{maxID, "1", 1})},
		"range across 64 bits":          {consecutive(zero, alice, word(1<<64-1), twoTo64), mint721(alice, item{"18446744073709551615", "1", 0}, item{"18446744073709551616", "1", 1})},
		"range between users":           {consecutive(alice, bob, word(3), word(5)), nothing},
		"range from zero to zero":       {consecutive(zero, zero, word(3), word(5)), nothing},
		"range of all between users":    {consecutive(alice, bob, word(0), maxWord), nothing},
		"range of all, zero to zero":    {consecutive(zero, zero, word(0), maxWord), nothing},
		"range with more than one word": {newLog(numbers(3, 99), sigConsecutive, word(3), pad(zero), pad(alice)), mint721(alice, item{"3", "1", 0})},

		// Other logs.
		"no topics":       {newLog([]byte{0x12, 0x34}), nothing},
		"unknown topic":   {newLog(nil, word(1)), nothing},
		"zero topic":      {newLog(nil, evm.Hash{}, pad(zero), pad(alice), word(9)), nothing},
		"almost Transfer": {newLog(nil, func() evm.Hash { h := sigTransfer; h[31] ^= 1; return h }(), pad(zero), pad(alice), word(9)), nothing},
		"other event":     {newLog(nil, sig("Approval(address,address,uint256)"), pad(zero), pad(alice), word(9)), nothing},
	} {
		t.Run(name, func(t *testing.T) { checkLog(t, nft.Decoder{}, test.log, test.want) })
	}
}

func TestDecode_Malformed(t *testing.T) {
	// high returns the word 64 with one more bit set in byte i, above 2^64.
	high := func(i int) evm.Hash {
		h := word(64)
		h[i] = 1
		return h
	}
	good := numbers(64, 128, 1, 7, 1, 70)
	withWord := func(at int, w evm.Hash) []byte {
		b := slices.Clone(good)
		copy(b[at*32:], w[:])
		return b
	}
	for name, test := range map[string]struct {
		log  evm.Log
		want string
	}{
		"transfer, dirty from over zero":     {newLog(nil, sigTransfer, dirty(zero, 11), pad(alice), word(9)), nft.ReasonDirtyAddress},
		"transfer, dirty to over zero":       {newLog(nil, sigTransfer, pad(alice), dirty(zero, 0), word(9)), nft.ReasonDirtyAddress},
		"transfer between users, dirty from": {newLog(nil, sigTransfer, dirty(alice, 8), pad(bob), word(9)), nft.ReasonDirtyAddress},
		"transfer between users, dirty to":   {newLog(nil, sigTransfer, pad(alice), dirty(bob, 7), word(9)), nft.ReasonDirtyAddress},

		"single, one topic":           {newLog(data(pad(carol), pad(zero), pad(alice), word(9), word(3)), sigSingle), nft.ReasonTopics},
		"single, two topics":          {newLog(data(pad(zero), pad(alice), word(9), word(3)), sigSingle, pad(carol)), nft.ReasonTopics},
		"single, three topics":        {newLog(data(pad(alice), word(9), word(3)), sigSingle, pad(carol), pad(zero)), nft.ReasonTopics},
		"single, five topics":         {newLog(numbers(9, 3), sigSingle, pad(carol), pad(zero), pad(alice), word(9)), nft.ReasonTopics},
		"single, dirty operator":      {newLog(numbers(9, 3), sigSingle, dirty(carol, 3), pad(zero), pad(alice)), nft.ReasonDirtyAddress},
		"single, dirty from":          {newLog(numbers(9, 3), sigSingle, pad(carol), dirty(zero, 3), pad(alice)), nft.ReasonDirtyAddress},
		"single, dirty to":            {newLog(numbers(9, 3), sigSingle, pad(carol), pad(alice), dirty(zero, 3)), nft.ReasonDirtyAddress},
		"single, no data":             {single(zero, alice, nil), nft.ReasonOutside},
		"single, one word":            {single(zero, alice, numbers(9)), nft.ReasonOutside},
		"single, a byte too few":      {single(zero, alice, numbers(9, 3)[:63]), nft.ReasonOutside},
		"single between users, short": {single(alice, bob, numbers(9)), nft.ReasonOutside},

		"batch, three topics":              {newLog(good, sigBatch, pad(carol), pad(zero)), nft.ReasonTopics},
		"batch, one topic":                 {newLog(good, sigBatch), nft.ReasonTopics},
		"batch, five topics":               {newLog(good, sigBatch, pad(carol), pad(zero), pad(alice), word(1)), nft.ReasonTopics},
		"batch, dirty operator":            {newLog(good, sigBatch, dirty(carol, 0), pad(zero), pad(alice)), nft.ReasonDirtyAddress},
		"batch, dirty to":                  {newLog(good, sigBatch, pad(carol), pad(alice), dirty(zero, 11)), nft.ReasonDirtyAddress},
		"batch, no data":                   {batch(zero, alice, nil), nft.ReasonOutside},
		"batch, half a word":               {batch(zero, alice, make([]byte, 31)), nft.ReasonOutside},
		"batch, one word":                  {batch(zero, alice, numbers(0)), nft.ReasonOutside},
		"batch, a byte short of two":       {batch(zero, alice, make([]byte, 63)), nft.ReasonOutside},
		"batch, ids far outside":           {batch(zero, alice, withWord(0, word(1<<40))), nft.ReasonOutside},
		"batch, values far outside":        {batch(zero, alice, withWord(1, word(1<<40))), nft.ReasonOutside},
		"batch, offset at the end":         {batch(zero, alice, withWord(1, word(192))), nft.ReasonOutside},
		"batch, length half outside":       {batch(zero, alice, withWord(1, word(161))), nft.ReasonOutside},
		"batch, offset 2^64-1":             {batch(zero, alice, withWord(1, word(1<<64-1))), nft.ReasonOutside},
		"batch, offset 2^64-32":            {batch(zero, alice, withWord(0, word(1<<64-32))), nft.ReasonOutside},
		"batch, offset with bit 255":       {batch(zero, alice, withWord(0, high(0))), nft.ReasonOutside},
		"batch, offset with bit 128":       {batch(zero, alice, withWord(0, high(15))), nft.ReasonOutside},
		"batch, offset with bit 64":        {batch(zero, alice, withWord(0, high(23))), nft.ReasonOutside},
		"batch, offset of ones":            {batch(zero, alice, withWord(1, maxWord)), nft.ReasonOutside},
		"batch, more ids than data":        {batch(zero, alice, withWord(2, word(4))), nft.ReasonArrayOutside},
		"batch, one value more than data":  {batch(zero, alice, withWord(4, word(2))), nft.ReasonArrayOutside},
		"batch, last value cut":            {batch(zero, alice, good[:191]), nft.ReasonArrayOutside},
		"batch, length 2^59 wraps to 0":    {batch(zero, alice, withWord(2, word(1<<59))), nft.ReasonArrayOutside},
		"batch, length 2^64-1":             {batch(zero, alice, withWord(2, word(1<<64-1))), nft.ReasonArrayOutside},
		"batch, length with bit 255":       {batch(zero, alice, withWord(2, high(0))), nft.ReasonArrayOutside},
		"batch, length with bit 64":        {batch(zero, alice, withWord(4, high(23))), nft.ReasonArrayOutside},
		"batch, 2 ids, 1 value":            {batch(zero, alice, numbers(64, 160, 2, 7, 8, 1, 70)), nft.ReasonLengths},
		"batch, 1 id, 2 values":            {batch(zero, alice, numbers(64, 128, 1, 7, 2, 70, 80)), nft.ReasonLengths},
		"batch, no ids, 1 value":           {batch(zero, alice, numbers(64, 96, 0, 1, 70)), nft.ReasonLengths},
		"batch between users, lengths":     {batch(alice, bob, numbers(64, 128, 1, 7, 2, 70, 80)), nft.ReasonLengths},
		"batch from zero to zero, no data": {batch(zero, zero, nil), nft.ReasonOutside},

		"range, one topic":              {newLog(data(word(1), word(2), pad(zero), pad(alice)), sigConsecutive), nft.ReasonTopics},
		"range, three topics":           {newLog(numbers(3), sigConsecutive, word(3), pad(zero)), nft.ReasonTopics},
		"range, five topics":            {newLog(numbers(3), sigConsecutive, word(3), pad(zero), pad(alice), word(3)), nft.ReasonTopics},
		"range, dirty from":             {newLog(numbers(3), sigConsecutive, word(3), dirty(zero, 5), pad(alice)), nft.ReasonDirtyAddress},
		"range, dirty to":               {newLog(numbers(3), sigConsecutive, word(3), pad(alice), dirty(zero, 5)), nft.ReasonDirtyAddress},
		"range, no data":                {newLog(nil, sigConsecutive, word(3), pad(zero), pad(alice)), nft.ReasonOutside},
		"range, a byte too few":         {newLog(make([]byte, 31), sigConsecutive, word(0), pad(zero), pad(alice)), nft.ReasonOutside},
		"range, ends before it starts":  {consecutive(zero, alice, word(10), word(9)), nft.ReasonRange},
		"range, from the end to 0":      {consecutive(zero, alice, maxWord, word(0)), nft.ReasonRange},
		"range between users backwards": {consecutive(alice, bob, word(10), word(9)), nft.ReasonRange},
		"range, cap and one":            {consecutive(zero, alice, word(0), word(nft.DefaultRangeCap)), nft.ReasonCap},
		"range burn, cap and one":       {consecutive(alice, zero, word(5), word(5+nft.DefaultRangeCap)), nft.ReasonCap},
		"range of all":                  {consecutive(zero, alice, word(0), maxWord), nft.ReasonCap},
		"range of 2^256-1":              {consecutive(zero, alice, word(1), maxWord), nft.ReasonCap},
		"range of 2^64":                 {consecutive(zero, alice, word(0), word(1<<64-1)), nft.ReasonCap},
		"range of 2^64+1":               {consecutive(zero, alice, word(0), twoTo64), nft.ReasonCap},
	} {
		t.Run(name, func(t *testing.T) { checkLog(t, nft.Decoder{}, test.log, rejected(test.log, test.want)) })
	}
}
