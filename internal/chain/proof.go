package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"mintburn/internal/evm"
)

// Proven returns a block with all its logs, wanted or not, proven complete: the
// header's hash is that of its fields, the receipts root that of the receipts
// which hold the logs, and the bloom filter that of the logs (an empty one is
// not compared: some chains keep none). The hash itself is the node's word, for
// the caller to compare with what it trusts; so are the hashes of transactions,
// which no receipt holds.
//
// It fails with [ErrNotProvable] where the chain's header or receipts have
// another form than Ethereum's, saying what is different, and with
// [ErrMismatch] where they have that form and do not fit. A header of Ethereum's
// form that does not fit is one of another form if another endpoint has it, too, or
// [ClientOptions.Unprovable] says so.
func (c *Client) Proven(ctx context.Context, number uint64) (block evm.Block, err error) {
	err = c.try(ctx, func(ctx context.Context, e *endpoint) error {
		block, err = c.proven(ctx, e, number)
		return err
	})
	if err != nil {
		return evm.Block{}, fmt.Errorf("proving block %d: %w", number, err)
	}
	return block, nil
}

func (c *Client) proven(ctx context.Context, e *endpoint, number uint64) (evm.Block, error) {
	asked := blockByNumber(number)
	if err := e.ask(ctx, asked); err != nil {
		return evm.Block{}, err
	}
	h, err := e.numbered(asked)
	if err != nil {
		return evm.Block{}, err
	}
	header, err := e.provenHeader(h)
	if err != nil {
		decided, refused := c.unprovable(ctx, e, err, h, h)
		if refused != nil {
			return evm.Block{}, refused
		}
		if decided && !errors.Is(err, ErrNotProvable) {
			err = fmt.Errorf("%w: %s: %s", ErrNotProvable, e.name, ReasonHash)
		}
		return evm.Block{}, err
	}
	c.isProvable()
	receipts, err := e.receipts(ctx, h)
	if err != nil {
		return evm.Block{}, err
	}
	logs, err := receipts.logs(ctx)
	if err != nil {
		return evm.Block{}, err
	}
	if err := receipts.prove(header.ReceiptHash); err != nil {
		return evm.Block{}, err
	}
	var built bloom
	built.add(logs)
	if h.bloom != (bloom{}) && built != h.bloom {
		return evm.Block{}, fmt.Errorf("%w: %s: the bloom filter is not that of the logs", ErrMismatch, e.name)
	}
	if logs == nil {
		logs = []evm.Log{}
	}
	return evm.Block{Header: h.Header, Logs: logs}, nil
}

// provenHeader returns the header when its hash is that of its fields.
func (e *endpoint) provenHeader(h *liveHeader) (*types.Header, error) {
	header := new(types.Header)
	if err := json.Unmarshal(h.raw, header); err != nil {
		return nil, fmt.Errorf("%w: %s: the header has another form: %s", ErrNotProvable, e.name, e.clean(err.Error()))
	}
	if evm.Hash(header.Hash()) == h.Hash {
		return header, nil
	}
	if unknown := unknownFields(h.raw); len(unknown) > 0 {
		return nil, fmt.Errorf("%w: %s: the header's hash is not that of Ethereum's fields; it has also %s",
			ErrNotProvable, e.name, e.clean(strings.Join(unknown, ", ")))
	}
	return nil, fmt.Errorf("%w: %s: the hash of the header's fields is %s, not %s", ErrMismatch, e.name, evm.Hash(header.Hash()), h.Hash)
}

// unknownFields returns the names in a block object that are not Ethereum's.
func unknownFields(block json.RawMessage) (names []string) {
	known := map[string]json.RawMessage{}
	// Both have been read before.
	text, _ := json.Marshal(&types.Header{Difficulty: common.Big0, Number: common.Big0})
	_ = json.Unmarshal(text, &known)
	for _, beside := range []string{"hash", "size", "totalDifficulty", "uncles", "transactions", "withdrawals"} {
		known[beside] = nil
	}
	fields := map[string]json.RawMessage{}
	_ = json.Unmarshal(block, &fields)
	for name := range fields {
		if _, ok := known[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// The types of transactions whose receipts have the form of EIP-2718 with the
// payload of EIP-658, and that of deposits on the OP stack.
const (
	lastEthereumType = types.SetCodeTxType
	depositType      = 0x7e
)

// prove compares the root of the receipts trie with the header's.
func (b *blockReceipts) prove(root common.Hash) error {
	got, known := rootOf(b.list)
	if got == root {
		return nil
	}
	if !known {
		i := slices.IndexFunc(b.list, func(r liveReceipt) bool { return !r.known() })
		return fmt.Errorf("%w: %s: the receipts root is not that of Ethereum's receipts; receipt %d has the type %#x",
			ErrNotProvable, b.e.name, i, b.list[i].typ)
	}
	return fmt.Errorf("%w: %s: the root of the receipts is %s, the header has %s", ErrMismatch, b.e.name, evm.Hash(got), evm.Hash(root))
}

// known reports whether the form of a receipt's type is known.
func (receipt *liveReceipt) known() bool {
	return receipt.typ <= lastEthereumType || receipt.typ == depositType
}

// rootOf returns the root of the receipts trie, and whether the form of each
// receipt is known. Bloom filters that were not given are made.
func rootOf(list []liveReceipt) (root common.Hash, known bool) {
	known = true
	for i := range list {
		if !list[i].hasBloom {
			list[i].bloom.add(list[i].logs)
		}
		known = known && list[i].known()
	}
	return types.DeriveSha(receiptList(list), trie.NewStackTrie(nil)), known
}

// receiptList encodes receipts as the receipts trie has them (Yellow Paper,
// section 4.3.1; EIP-2718).
type receiptList []liveReceipt

// Len implements [types.DerivableList].
func (l receiptList) Len() int { return len(l) }

// EncodeIndex implements [types.DerivableList].
func (l receiptList) EncodeIndex(i int, w *bytes.Buffer) {
	receipt := &l[i]
	if receipt.typ != types.LegacyTxType {
		w.WriteByte(byte(receipt.typ))
	}
	logs := make([]rlpLog, len(receipt.logs))
	for j := range receipt.logs {
		log := &receipt.logs[j]
		logs[j] = rlpLog{log.Address, log.Topics, log.Data}
	}
	// Nothing in it can fail to be encoded, nor a buffer to be written.
	_ = rlp.Encode(w, rlpReceipt{receipt.outcome, receipt.gasUsed, receipt.bloom, logs, receipt.deposited()})
}

// deposited returns the fields that a deposit adds to what is hashed: only from
// version 1 on (Canyon).
func (receipt *liveReceipt) deposited() []uint64 {
	if len(receipt.deposit) == 0 || receipt.deposit[1] == 0 {
		return nil
	}
	return receipt.deposit
}

type rlpReceipt struct {
	Outcome []byte
	GasUsed uint64
	Bloom   [types.BloomByteLength]byte
	Logs    []rlpLog
	Deposit []uint64 `rlp:"tail"`
}

type rlpLog struct {
	Address [20]byte
	Topics  []evm.Hash
	Data    []byte
}
