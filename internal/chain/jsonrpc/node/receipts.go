package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// blockReceipts are the receipts of one block, in order, from one endpoint.
type blockReceipts struct {
	n    *blockReader
	h    *Header
	list []wire.Receipt
	// unproved is why the header's receipts root does not prove the receipts, nil if it does.
	unproved error
	// ordered is true if the root proves the order of the logs, except those of a state sync.
	ordered bool
}

func receiptsOf(block any) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getBlockReceipts", Args: []any{block}}
}

// maxRefusals is the number of blocks in a row refused by eth_getBlockReceipts after which it is
// not called again, if single receipts are returned.
const maxRefusals = 3

// receipts returns the receipts of a block from the first method that returns all of them:
// eth_getBlockReceipts by hash, by number, eth_getTransactionReceipt. If the header is
// provable, its receipts root must match, or the receipts must not have Ethereum's form.
// A method that fails in any words but those of a rate limit leads to the next one.
// asked, if not nil, is the answered first call.
func (n *blockReader) receipts(ctx context.Context, h *Header, asked *endpoint.Call) (*blockReceipts, error) {
	if h.ethereum == nil && h.object != nil {
		// Without a proof, nothing contradicts the receipts.
		_ = n.prove(h)
	}
	var failed error
	try := func(calls []*endpoint.Call, err error) (*blockReceipts, error) {
		b := &blockReceipts{n: n, h: h}
		if err == nil {
			err = b.read(ctx, calls)
		}
		if err == nil {
			return b, nil
		}
		if failed == nil || rpcerror.Contradicts(err) && !rpcerror.Contradicts(failed) {
			failed = err
		}
		if !rpcerror.IsNoData(err) || ctx.Err() != nil {
			return nil, err
		}
		return nil, nil
	}
	refused := 0
	for _, block := range []any{h.Hash, hexutil.EncodeUint64(h.Number)} {
		if n.noBlockReceipts.Load() {
			break
		}
		if asked == nil {
			asked = receiptsOf(block)
			asked.Err = n.Ask(ctx, asked)
		}
		b, err := try([]*endpoint.Call{asked}, asked.Err)
		if b != nil || err != nil {
			n.refusals.Store(0)
			return b, err
		}
		if kind := rpcerror.KindOf(asked.Err); kind == rpcerror.Unsupported {
			n.noBlockReceipts.Store(true)
		} else if kind == rpcerror.Refused {
			refused++
		}
		asked = nil
	}
	if len(h.txs) == 0 && h.ethereum == nil {
		// Nothing proves that there are no transactions.
		return nil, cmp.Or(failed, fmt.Errorf("%s: receipts of block %s: %w", n.Name, h.Hash, rpcerror.ErrGone))
	}
	var calls []*endpoint.Call
	for _, tx := range h.txs {
		calls = append(calls, receiptOf(tx.Hash))
	}
	b, err := try(calls, n.Ask(ctx, calls...))
	if b != nil && refused == 2 {
		n.noBlockReceipts.Store(n.refusals.Add(1) >= maxRefusals)
	}
	if b == nil && err == nil {
		err = failed
	}
	return b, err
}

func receiptOf(tx evm.Hash) *endpoint.Call {
	return &endpoint.Call{Method: "eth_getTransactionReceipt", Args: []any{tx}}
}

// read sets the receipts from one answer with all of them, or from several with one each. It
// requests those that are missing in a list one by one.
func (b *blockReceipts) read(ctx context.Context, answers []*endpoint.Call) error {
	given, err := b.parse(answers)
	if err != nil {
		return err
	}
	list, missing := given, []int(nil)
	if b.h.txs != nil {
		list, missing = wire.Arrange(given, b.h.txs)
	}
	if len(answers) == 1 && len(missing) > 0 && len(missing) < len(b.h.txs) {
		var calls []*endpoint.Call
		for _, i := range missing {
			calls = append(calls, receiptOf(b.h.txs[i].Hash))
		}
		if err := b.n.Ask(ctx, calls...); err != nil && !rpcerror.IsNoData(err) {
			return err
		}
		more, err := b.parse(calls)
		if err != nil {
			return err
		}
		list, missing = wire.Arrange(append(slices.Clone(given), more...), b.h.txs)
	}
	if len(missing) == len(b.h.txs) && len(missing) > 0 {
		return fmt.Errorf("%s: receipts of block %s: %w", b.n.Name, b.h.Hash, rpcerror.ErrGone)
	}
	if len(missing) > 0 {
		return b.inconsistent(fmt.Errorf("%d of %d transactions", len(b.h.txs)-len(missing), len(b.h.txs)))
	}
	for i := range list {
		if err := list[i].Check(); err != nil {
			return b.inconsistent(fmt.Errorf("receipt %d: %w", i, err))
		}
	}
	b.list = list
	return b.prove(ctx, given)
}

// parse returns the receipts in answers that are not null. It fails if one names another
// block.
func (b *blockReceipts) parse(answers []*endpoint.Call) ([]wire.Receipt, error) {
	r, l := wire.NewReader(), &wire.Logs{Costs: b.n.o.Transactions != nil}
	for _, answer := range answers {
		if answer.Null() {
			continue
		}
		r.Reset(answer.Result)
		read := l.ReadReceipt
		if answer.Method == "eth_getBlockReceipts" {
			read = l.ReadReceipts
		}
		if err := cmp.Or(read(r), r.End()); err != nil {
			return nil, b.inconsistent(err)
		}
	}
	if err := l.Claim.Check(&b.h.Header); err != nil {
		return nil, b.inconsistent(err)
	}
	l.All()
	return l.Receipts, nil
}

// inconsistent wraps err in an error that matches [rpcerror.ErrInconsistent].
func (b *blockReceipts) inconsistent(err error) error {
	return rpcerror.Inconsistent("%s: receipts of block %d: %w", b.n.Name, b.h.Number, err)
}

// prove compares the root of the receipts with that of a provable header. It sets unproved
// if the receipts do not have Ethereum's form, and fails if they have it and the roots
// differ. given are the receipts as the node returned them.
func (b *blockReceipts) prove(ctx context.Context, given []wire.Receipt) error {
	h := b.h
	if h.ethereum == nil {
		b.unproved = fmt.Errorf("%w: %s: the header is not provable", rpcerror.ErrNotProvable, b.n.Name)
		return nil
	}
	want, noBlooms := evm.Hash(h.ethereum.ReceiptHash), h.bloom == nil
	root := wire.ReceiptsRoot(b.list, noBlooms)
	if root != want && slices.ContainsFunc(b.list, func(r wire.Receipt) bool { return !r.HasType }) {
		if err := b.types(ctx); err != nil {
			return err
		}
		root = wire.ReceiptsRoot(b.list, noBlooms)
	}
	if root != want && len(given) > len(b.list) && wire.ReceiptsRoot(given, noBlooms) == want {
		// The root covers receipts of transactions that the block does not list.
		b.list, root = given, want
	}
	if b.ordered = root == want; b.ordered {
		return nil
	}
	switch i := slices.IndexFunc(b.list, func(r wire.Receipt) bool { return !r.Known() || !r.Complete() }); {
	case wire.HasStateSync(b.list, h.ethereum, h.BlockRef):
		b.ordered = true
		b.unproved = fmt.Errorf("%w: %s: the receipts root does not cover the last receipt, a state sync", rpcerror.ErrNotProvable, b.n.Name)
	case i >= 0 && !b.list[i].Known():
		b.unproved = fmt.Errorf("%w: %s: the receipts root does not match; receipt %d has the unknown type %#x", rpcerror.ErrNotProvable, b.n.Name, i, b.list[i].Type)
	case i >= 0:
		b.unproved = fmt.Errorf("%w: %s: the receipts root does not match; receipt %d: %w", rpcerror.ErrNotProvable, b.n.Name, i, cmp.Or(b.list[i].Odd(), errIncomplete))
	default:
		return fmt.Errorf("%w: %s: the root of the receipts is %s, the header has %s", rpcerror.ErrMismatch, b.n.Name, root, want)
	}
	return nil
}

var errIncomplete = errors.New("a field is missing")

// types sets the types of receipts that lack them from the block's transactions.
func (b *blockReceipts) types(ctx context.Context) error {
	asked := wholeBlock(b.h.Hash)
	if err := b.n.Ask(ctx, asked); err != nil && !rpcerror.IsNoData(err) {
		return err
	}
	full, err := b.n.headerOf(asked)
	if err != nil || full.Hash != b.h.Hash || len(full.txs) != len(b.list) {
		// Without the types, the roots differ.
		return nil
	}
	b.list, _ = wire.Arrange(b.list, full.txs)
	return nil
}

// logs returns all logs of the block in chain order. Where the receipts root proves the
// order, the index of a log is its place.
func (b *blockReceipts) logs(ctx context.Context) ([]evm.Log, error) {
	logs := wire.LogsOf(b.list)
	if !b.ordered {
		return logs, b.n.numberLogs(ctx, b.h.BlockRef, logs)
	}
	inPlace := wire.InOrder(logs)
	shown := evm.NumberLogs(logs)
	if !inPlace {
		shown = evm.NumberingTransaction
		wire.NumberByPlace(logs)
	}
	return logs, b.n.noteNumbering(ctx, b.h.BlockRef, shown)
}
