package node

import (
	"cmp"
	"context"

	"mintburn/internal/chain/jsonrpc/endpoint"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/chain/wire"
	"mintburn/internal/evm"
)

// fullFrom reads a range from one endpoint. If its logs are wrong, it reads the range again,
// from receipts alone.
func (e *Node) fullFrom(ctx context.Context, from, to uint64) (Span, error) {
	span, err := e.fullOnce(ctx, from, to)
	if !rpcerror.IsWrongLogs(err) || e.leavesOut.Load() {
		return span, err
	}
	if err := e.distrust(ctx, err); err != nil {
		return span, err
	}
	return e.fullOnce(ctx, from, to)
}

func (e *Node) fullOnce(ctx context.Context, from, to uint64) (Span, error) {
	headers, err := e.takeNewest(from, to), error(nil)
	if headers == nil {
		headers, err = e.headers(ctx, from, to)
	}
	if err != nil {
		return Span{}, err
	}
	e.SawHead(to)
	if err := e.checkProvable(ctx, headers); err != nil {
		return Span{}, err
	}
	f := full{e: e, headers: headers, blocks: make([]evm.Block, len(headers)), proven: true, receipts: map[evm.Hash][]wire.Receipt{}}
	for i, h := range headers {
		f.blocks[i].Header = h.Header
		f.proven = f.proven && h.ethereum != nil
		if !e.chain.filter.excludes(h) {
			f.missing = append(f.missing, i)
		}
	}
	if err := f.read(ctx); err != nil {
		return Span{}, err
	}
	return Span{From: from, To: to, First: f.blocks[0].Header, Last: f.blocks[len(f.blocks)-1].Header, Blocks: f.blocks, Proven: f.proven, receipts: f.receipts}, nil
}

// noteLogs calls [settings.Options.OnZeroBloom] for the first proved block that has logs, but an
// all-zero bloom filter.
func (c *Chain) noteLogs(ctx context.Context, h *Header, logs []evm.Log) error {
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
// provable is unacceptable, see [Node.unprovable].
func (e *Node) checkProvable(ctx context.Context, headers []*Header) error {
	for len(headers) > 0 {
		cause, n := e.prove(headers[0]), 1
		for cause != nil && n < len(headers) && e.prove(headers[n]) != nil {
			n++
		}
		// The loop above ended at a provable header.
		if cause == nil || n < len(headers) {
			e.chain.isProvable()
		}
		if cause != nil {
			if _, err := e.unprovable(ctx, cause, headers[0], headers[n-1]); err != nil {
				return err
			}
		}
		for _, h := range headers[:n] {
			h.object = nil
		}
		headers = headers[n:]
	}
	return nil
}

// full is a range of blocks that is being read from one endpoint.
type full struct {
	e       *Node
	headers []*Header
	blocks  []evm.Block
	// missing are the indices of the blocks whose logs were not read yet.
	missing []int
	proven  bool
	// receipts are those of [Span].
	receipts map[evm.Hash][]wire.Receipt
}

// read fetches the logs of the missing blocks.
func (f *full) read(ctx context.Context) error {
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
func (f *full) batch(ctx context.Context) (n int, err error) {
	most := max(1, int(f.e.receiptsBatch.Load()))
	var calls []*endpoint.Call
	for _, i := range f.missing[:min(most, len(f.missing))] {
		calls = append(calls, f.call(i))
	}
	err = f.e.Do(ctx, calls...)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if k := rpcerror.KindOf(err); len(calls) > 1 && (k == rpcerror.Size || k == rpcerror.Slow) {
		f.e.setReceiptsBatch(len(calls) / 2)
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
	f.e.setReceiptsBatch(min(len(calls)*receiptsBytes/max(size, 1), 2*len(calls)))
	return len(calls), nil
}

// call returns the first call for the logs of block i.
func (f *full) call(i int) *endpoint.Call {
	h := f.headers[i]
	if h.ethereum != nil && !f.e.noBlockReceipts.Load() || f.e.leavesOut.Load() {
		return receiptsOf(h.Hash)
	}
	return logsByHash(h)
}

// block reads block i, given the answered first call for it.
func (f *full) block(ctx context.Context, i int, asked *endpoint.Call) error {
	h := f.headers[i]
	if asked.Err != nil && !rpcerror.IsNoData(asked.Err) {
		return asked.Err
	}
	if asked.Method == "eth_getLogs" {
		logs, err := f.e.logsOf(ctx, h, asked)
		f.set(i, logs, false)
		return err
	}
	receipts, err := f.e.receipts(ctx, h, asked)
	switch {
	case err != nil && !rpcerror.IsNoData(err):
		return err
	case err == nil && (receipts.ordered || f.e.leavesOut.Load()):
		logs, err := receipts.logs(ctx)
		if err == nil && receipts.unproved == nil {
			err = f.e.chain.noteLogs(ctx, h, logs)
		}
		f.set(i, logs, receipts.unproved == nil)
		return cmp.Or(err, f.keep(i, receipts.list))
	case err != nil && f.e.leavesOut.Load():
		return err
	}
	// There are no receipts in Ethereum's form: compare them with eth_getLogs.
	logs, failed := f.e.BlockLogs(ctx, h)
	if failed != nil {
		return cmp.Or(err, failed)
	}
	f.set(i, logs, false)
	return nil
}

// keep keeps the receipts of the wanted transactions of block i.
func (f *full) keep(i int, receipts []wire.Receipt) error {
	wanted, err := f.e.wanted(&f.blocks[i])
	for _, r := range receipts {
		if wanted[r.TxHash] {
			r.Logs = nil
			f.receipts[f.blocks[i].Header.Hash] = append(f.receipts[f.blocks[i].Header.Hash], r)
		}
	}
	return err
}

// set sets the logs of block i.
func (f *full) set(i int, logs []evm.Log, proven bool) {
	f.blocks[i].Logs, f.proven = f.e.chain.filter.Pick(logs), f.proven && proven
}

func (e *Node) setReceiptsBatch(n int) {
	e.receiptsBatch.Store(int64(min(max(n, 1), e.MaxBatch())))
}
