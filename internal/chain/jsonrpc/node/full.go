package node

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// readFull reads a range from one endpoint. If its logs are wrong, it reads the range again,
// from receipts alone.
func (n *Node) readFull(ctx context.Context, from, to uint64) (Span, error) {
	span, err := n.readBlocks(ctx, from, to)
	if !rpcerror.IsWrongLogs(err) || n.leavesOut.Load() {
		return span, err
	}
	if err := n.distrust(ctx, err); err != nil {
		return span, err
	}
	return n.readBlocks(ctx, from, to)
}

func (n *Node) readBlocks(ctx context.Context, from, to uint64) (Span, error) {
	headers, err := n.takeNewest(from, to), error(nil)
	if headers == nil {
		headers, err = n.Headers(ctx, from, to)
	}
	if err != nil {
		return Span{}, err
	}
	n.SawHead(to)
	if err := n.checkProvable(ctx, headers); err != nil {
		return Span{}, err
	}
	f := fullRead{n: n, headers: headers, blocks: make([]evm.Block, len(headers)), proven: true, receipts: map[evm.Hash][]wire.Receipt{}}
	for i, h := range headers {
		f.blocks[i].Header = h.Header
		f.proven = f.proven && h.ethereum != nil
		if !n.chain.filter.excludes(h) {
			f.missing = append(f.missing, i)
		}
	}
	if err := f.read(ctx); err != nil {
		return Span{}, err
	}
	return Span{From: from, To: to, First: f.blocks[0].Header, Last: f.blocks[len(f.blocks)-1].Header, Blocks: f.blocks, Proven: f.proven, receipts: f.receipts}, nil
}

// noteZeroBloom calls [settings.Options.OnZeroBloom] for the first proved block that has logs,
// but an all-zero bloom filter.
func (c *Chain) noteZeroBloom(ctx context.Context, h *Header, logs []evm.Log) error {
	if c.o.OnZeroBloom == nil || len(logs) == 0 || h.bloom == nil || !h.hasNoBloom() {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.zeroBloom {
		return nil
	}
	err := c.o.OnZeroBloom(ctx)
	c.zeroBloom = err == nil
	return err
}

// checkProvable records which headers are provable. It fails if a header that is not
// provable is unacceptable, see [Node.acceptUnprovable].
func (n *Node) checkProvable(ctx context.Context, headers []*Header) error {
	for len(headers) > 0 {
		cause, count := n.prove(headers[0]), 1
		for cause != nil && count < len(headers) && n.prove(headers[count]) != nil {
			count++
		}
		// The loop above ended at a provable header.
		if cause == nil || count < len(headers) {
			n.chain.proved.Store(true)
		}
		if cause != nil {
			if _, err := n.acceptUnprovable(ctx, cause, headers[0], headers[count-1]); err != nil {
				return err
			}
		}
		for _, h := range headers[:count] {
			h.object = nil
		}
		headers = headers[count:]
	}
	return nil
}

// acceptUnprovable decides whether to accept a run of headers that are not provable, given the
// first and the last of them. It accepts them, and returns true, if
// [settings.Options.AcceptUnprovable] is set, if they were accepted before, or if another
// endpoint has the same headers. Otherwise it returns false, or [rpcerror.ErrMismatch] if a
// block of the chain was proved before, because then the endpoint may have forged them. cause
// is the error of [blockReader.prove].
func (n *Node) acceptUnprovable(ctx context.Context, cause error, first, last *Header) (decided bool, err error) {
	run := evm.Range{From: first.Number, To: last.Number}
	n.chain.mu.Lock()
	known := slices.ContainsFunc(n.chain.notProvable, func(r evm.Range) bool { return r.From <= run.From && run.To <= r.To })
	n.chain.mu.Unlock()
	proved := n.chain.proved.Load()
	if known {
		return true, nil
	}
	if !n.o.AcceptUnprovable && !(n.confirmed(ctx, first) && (first == last || n.confirmed(ctx, last))) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if proved {
			return false, fmt.Errorf("%w: other blocks of this chain were proved, block %d cannot be: %w", rpcerror.ErrMismatch, run.From, cause)
		}
		return false, nil
	}
	if n.o.OnUnprovable != nil {
		if err := n.o.OnUnprovable(ctx, run, first.unprovable()); err != nil {
			return false, err
		}
	}
	n.chain.mu.Lock()
	defer n.chain.mu.Unlock()
	n.chain.notProvable = run.Join(n.chain.notProvable)
	return true, nil
}

// confirmed reports whether another endpoint returns a header with the same hash and
// fields.
func (n *Node) confirmed(ctx context.Context, h *Header) bool {
	for other := range n.chain.others(ctx, n) {
		theirs, err := other.HeaderAt(ctx, h.Number)
		if err == nil && theirs.Hash == h.Hash && theirs.fieldsHash() == h.fieldsHash() {
			return true
		}
	}
	return false
}

// fullRead is a range of blocks that is being read from one endpoint.
type fullRead struct {
	n       *Node
	headers []*Header
	blocks  []evm.Block
	// missing are the indices of the blocks whose logs were not read yet.
	missing []int
	proven  bool
	// receipts are those of [Span].
	receipts map[evm.Hash][]wire.Receipt
}

// read fetches the logs of the missing blocks.
func (f *fullRead) read(ctx context.Context) error {
	for len(f.missing) > 0 {
		n, err := f.batch(ctx)
		if err != nil {
			return err
		}
		f.missing = f.missing[n:]
	}
	return nil
}

// receiptsBytes is the target size of a batch of receipts: large enough to keep the
// cost per request low, far below server limits.
const receiptsBytes = 2 << 20

// batch reads the next missing blocks in one batch, and returns the number of blocks read:
// the receipts of blocks with a provable header, the logs of others. It returns 0 if the
// batch was too large; the next one is smaller.
func (f *fullRead) batch(ctx context.Context) (n int, err error) {
	most := max(1, int(f.n.receiptsBatch.Load()))
	var calls []*endpoint.Call
	for _, i := range f.missing[:min(most, len(f.missing))] {
		calls = append(calls, f.call(i))
	}
	err = f.n.Do(ctx, calls...)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if k := rpcerror.KindOf(err); len(calls) > 1 && (k == rpcerror.Size || k == rpcerror.Slow) {
		f.n.setReceiptsBatch(len(calls) / 2)
		return 0, nil
	}
	size := 0
	for j, asked := range calls {
		asked.Err = cmp.Or(err, asked.Err)
		if err := f.block(ctx, f.missing[j], asked); err != nil {
			return 0, err
		}
		size += len(asked.Result)
		asked.Result = nil
	}
	f.n.setReceiptsBatch(min(len(calls)*receiptsBytes/max(size, 1), 2*len(calls)))
	return len(calls), nil
}

// call returns the first call for the logs of block i.
func (f *fullRead) call(i int) *endpoint.Call {
	h := f.headers[i]
	if h.ethereum != nil && !f.n.noBlockReceipts.Load() || f.n.leavesOut.Load() {
		return receiptsOf(h.Hash)
	}
	return logsByHash(h)
}

// block reads block i, given the answered first call for it.
func (f *fullRead) block(ctx context.Context, i int, asked *endpoint.Call) error {
	h := f.headers[i]
	if asked.Err != nil && !rpcerror.IsNoData(asked.Err) {
		return asked.Err
	}
	if asked.Method == "eth_getLogs" {
		logs, err := f.n.logsOf(ctx, h, asked)
		f.set(i, logs, false)
		return err
	}
	receipts, err := f.n.receipts(ctx, h, asked)
	switch {
	case err != nil && !rpcerror.IsNoData(err):
		return err
	case err == nil && (receipts.ordered || f.n.leavesOut.Load()):
		logs, err := receipts.logs(ctx)
		if err == nil && receipts.unproved == nil {
			err = f.n.chain.noteZeroBloom(ctx, h, logs)
		}
		f.set(i, logs, receipts.unproved == nil)
		return cmp.Or(err, f.keep(i, receipts.list))
	case err != nil && f.n.leavesOut.Load():
		return err
	}
	// There are no receipts in Ethereum's form: compare them with eth_getLogs.
	logs, failed := f.n.BlockLogs(ctx, h)
	if failed != nil {
		return cmp.Or(err, failed)
	}
	f.set(i, logs, false)
	return nil
}

// keep keeps the receipts of the wanted transactions of block i.
func (f *fullRead) keep(i int, receipts []wire.Receipt) error {
	wanted, err := f.n.wantedTransactions(&f.blocks[i])
	for _, r := range receipts {
		if wanted[r.TxHash] {
			r.Logs = nil
			f.receipts[f.blocks[i].Header.Hash] = append(f.receipts[f.blocks[i].Header.Hash], r)
		}
	}
	return err
}

// set sets the logs of block i.
func (f *fullRead) set(i int, logs []evm.Log, proven bool) {
	f.blocks[i].Logs, f.proven = f.n.chain.filter.Pick(logs), f.proven && proven
}

func (n *Node) setReceiptsBatch(blocks int) {
	n.receiptsBatch.Store(int64(min(max(blocks, 1), n.MaxBatch())))
}
