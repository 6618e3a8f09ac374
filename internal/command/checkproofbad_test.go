package command_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// crafted returns the proof of a block that exists nowhere: its header has the root of these
// receipts, and what edit changes.
func crafted(t testing.TB, receipts []hexutil.Bytes, edit func(*types.Header)) answer {
	t.Helper()
	h := &types.Header{Number: big.NewInt(5), Difficulty: new(big.Int), ReceiptHash: types.DeriveSha(list(receipts), trie.NewStackTrie(nil))}
	edit(h)
	a := proofOf(t, h, nil)
	a.Proof.Receipts = receipts
	return a
}

// list implements [types.DerivableList].
type list []hexutil.Bytes

func (l list) Len() int { return len(l) }

func (l list) EncodeIndex(i int, w *bytes.Buffer) { w.Write(l[i]) }

// small returns the smallest recorded proof of a mint with three receipts, two of them with logs, and
// one of another block.
func small(t testing.TB) (good, other answer) {
	t.Helper()
	_, blocks, receipts := chaintest.ChainA(t)
	size := 1 << 20
	mint := func(log *types.Log) bool { return len(log.Topics) == 4 && log.Topics[1] == common.Hash{} }
	for i, block := range blocks {
		if len(receipts[i]) == 3 && slices.ContainsFunc(receipts[i][0].Logs, mint) && len(receipts[i][1].Logs) > 0 {
			a := proofOf(t, block.Header(), receipts[i])
			if n := len(a.text(t)); n < size {
				good, size = a, n
			} else {
				other = a
			}
		}
	}
	return good, other
}

// refusal is an answer that proves nothing. trusted is the hash of the block from another source,
// if there is one.
type refusal struct {
	name    string
	answer  answer
	trusted *evm.Hash
	// want is part of the error.
	want string
}

// refusals returns the answers that both verifiers refuse, made from one with several receipts.
func refusals(t testing.TB, good, other answer) (all []refusal) {
	t.Helper()
	edited := func(name, want string, edit func(a *answer)) {
		a := good
		a.Proof = &evidence{slices.Clone(good.Proof.Header), nil}
		for _, receipt := range good.Proof.Receipts {
			a.Proof.Receipts = append(a.Proof.Receipts, slices.Clone(receipt))
		}
		edit(&a)
		all = append(all, refusal{name, a, nil, want})
	}
	const root, hash = "proof: the receipts' root is 0x", "proof: the header's hash is 0x"
	for i := range good.Proof.Header {
		edited(fmt.Sprintf("byte %d of the header", i), hash, func(a *answer) { a.Proof.Header[i] ^= 1 << (i % 8) })
	}
	for i, receipt := range good.Proof.Receipts {
		for j := range receipt {
			edited(fmt.Sprintf("byte %d of receipt %d", j, i), root, func(a *answer) { a.Proof.Receipts[i][j] ^= 1 << (j % 8) })
		}
		edited(fmt.Sprintf("without receipt %d", i), root, func(a *answer) { a.Proof.Receipts = slices.Delete(a.Proof.Receipts, i, i+1) })
		edited(fmt.Sprintf("receipt %d twice", i), root, func(a *answer) { a.Proof.Receipts = slices.Insert(a.Proof.Receipts, i, receipt) })
		edited(fmt.Sprintf("receipt %d of another block", i), root, func(a *answer) { a.Proof.Receipts[i] = other.Proof.Receipts[0] })
		edited(fmt.Sprintf("a byte after receipt %d", i), root, func(a *answer) { a.Proof.Receipts[i] = append(a.Proof.Receipts[i], 0) })
		edited(fmt.Sprintf("a type before receipt %d", i), root, func(a *answer) { a.Proof.Receipts[i] = append([]byte{0}, a.Proof.Receipts[i]...) })
	}
	edited("moved receipts", root, func(a *answer) { slices.Reverse(a.Proof.Receipts) })
	edited("a receipt more", root, func(a *answer) { a.Proof.Receipts = append(a.Proof.Receipts, other.Proof.Receipts[0]) })
	edited("an empty receipt more", "receipt 3: ", func(a *answer) { a.Proof.Receipts = append(a.Proof.Receipts, nil) })
	edited("no receipt", root, func(a *answer) { a.Proof.Receipts = []hexutil.Bytes{} })
	edited("null for receipts", "proof: there are no receipts", func(a *answer) { a.Proof.Receipts = nil })
	edited("a byte after the header", hash, func(a *answer) { a.Proof.Header = append(a.Proof.Header, 0) })
	edited("no header", hash, func(a *answer) { a.Proof.Header = nil })
	edited("the header of another block", hash, func(a *answer) { a.Proof.Header = other.Proof.Header })
	edited("another number", "proof: the header's number is", func(a *answer) { a.Number++ })
	edited("null for the proof", "proof: ", func(a *answer) { a.Proof = nil })

	receipts := func(list ...hexutil.Bytes) []hexutil.Bytes { return list }
	logged := good.Proof.Receipts[0]
	add := func(name, want string, a answer) { all = append(all, refusal{name, a, nil, want}) }
	none := func(a answer) answer { a.Proof.Receipts = nil; return a }
	add("an all-zero bloom filter without receipts", "proof: there are no receipts", none(crafted(t, receipts(logged), func(*types.Header) {})))
	add("no bloom filter and no receipts", "proof: there are no receipts", none(withoutBloom(t, crafted(t, receipts(logged), func(*types.Header) {}))))
	add("a seal", "seal", crafted(t, receipts(logged), func(h *types.Header) { h.Extra = make([]byte, 97) }))
	add("a seal without receipts", "seal", none(crafted(t, receipts(), func(h *types.Header) { h.Extra = make([]byte, 97) })))
	for name, text := range map[string]string{
		"a long form of a short length": "0xf804010580c0", "a prefix before a small byte": "0xc581018105c0c0",
		"a byte after the list": "0xc4010580c000", "a list that ends early": "0xc5010580c0", "no list": "0x02", "too few fields": "0xc20105",
	} {
		add(name, "receipt 0: ", crafted(t, receipts(hexutil.MustDecode(text)), func(*types.Header) {}))
	}
	all = append(all, refusal{"another block than the trusted one", other, &good.Hash, "want"})
	wrong := good
	wrong.Hash[3]++
	return append(all, refusal{"another hash than the header's", wrong, &good.Hash, "want"}, refusal{"a wrong hash", wrong, nil, hash})
}

// TestCheckProof_Refuses changes each byte of a proof, and each part of it.
func TestCheckProof_Refuses(t *testing.T) {
	t.Parallel()
	good, other := small(t)
	mustRun(t, "check-proof", "--block-hash", good.Hash.String(), proofFile(t, good))
	all := refusals(t, good, other)
	for i, r := range all {
		// The command takes a thousand times longer.
		if strings.HasPrefix(r.name, "byte ") && i%500 > 0 {
			var p wire.Proof
			chaintest.Parse(t, r.answer.text(t), &p)
			if _, err := p.Check(); err == nil || !strings.Contains("proof: "+err.Error(), r.want) {
				t.Errorf("%s: error %v, want %s", r.name, err, r.want)
			}
			continue
		}
		args := []string{"check-proof", proofFile(t, r.answer)}
		if r.trusted != nil {
			args = append(args, "--block-hash", r.trusted.String())
		}
		if stdout, stderr, code := run(t, nil, args...); code != 1 || stdout != "" || !strings.Contains(stderr, r.want) {
			t.Errorf("%s: exit code %d, output %q, error %s; want %s", r.name, code, stdout, stderr, r.want)
		}
	}
	var text []byte
	for _, r := range all {
		line, err := json.Marshal(map[string]any{"answer": r.answer, "blockHash": r.trusted})
		expect.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	said := strings.Split(scripted(t, text), "\n")
	for i, r := range all {
		if !strings.Contains(said[i], r.want) {
			t.Errorf("examples/verify-proof: %s: %q, want %s", r.name, said[i], r.want)
		}
	}
}
