package command

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/store"
)

type exportCommand struct {
	database
	What            string                 `arg:"" enum:"mints,burns" help:"What to export: ${enum}."`
	Format          string                 `help:"Format of the records: ${enum}." enum:"ndjson,csv" default:"ndjson"`
	Block           *evm.BlockNumberOrHash `help:"Only the block with this number or hash." placeholder:"BLOCK"`
	Address         *evm.Address           `help:"Only this collection." placeholder:"A"`
	TokenID         *evm.Uint256           `name:"token-id" help:"Only this token of the collection." placeholder:"ID"`
	TransactionHash *evm.Hash              `help:"Only this transaction." placeholder:"HASH"`
	Account         *evm.Address           `help:"Only mints to this address, or burns from it." placeholder:"A"`
	FromBlock       *evm.Long              `help:"First block." placeholder:"N"`
	ToBlock         *evm.Long              `help:"Last block." placeholder:"N"`
	Partial         bool                   `help:"Export the indexed blocks even if some of the range are missing."`
	After           *string                `help:"Continue after this cursor, from an earlier export or a page in ascending order." placeholder:"CURSOR"`
}

// Validate checks what the flags' types do not.
func (c *exportCommand) Validate() error { return c.check() }

// Run writes records to standard output in chain order until there are no more, or
// ctx ends. The last lines on standard error hold the exported ranges of blocks and
// the cursor of the last record; a CSV export that continues has no header. If a
// reorg orphaned the block of --after, the error holds the command that rewinds.
func (c *exportCommand) Run(ctx context.Context, e *env) (err error) {
	s, err := c.read(ctx, e, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	filter := store.Filter{
		Kind: nft.Mint, Block: c.Block, Address: c.Address, TokenID: c.TokenID, TransactionHash: c.TransactionHash, Account: c.Account,
		FromBlock: c.FromBlock, ToBlock: c.ToBlock, Partial: c.Partial,
	}
	if c.What == "burns" {
		filter.Kind = nft.Burn
	}
	out := bufio.NewWriterSize(e.stdout, 64<<10)
	write := writeNDJSON(out)
	if c.Format == "csv" {
		write = writeCSV(out, c.After == nil)
	}
	x := &exporter{store: s, filter: filter, after: c.After, write: write}
	stopProgress := func() {}
	// On a terminal a bar would get between the records.
	if !isTerminal(e.stdout) {
		stopProgress = newProgress(e, "records", x.progress).stop
	}
	err = errors.Join(x.run(ctx), out.Flush())
	stopProgress()
	n := x.n.Load()
	switch {
	case err != nil && n > 0:
		return unfinished(ctx, reorged(e, err), fmt.Sprintf("%d %s are written; to continue: %s", n, c.What, e.continued(*x.after)))
	case err != nil:
		return unfinished(ctx, reorged(e, err), "nothing is written; run the same command again")
	}
	fmt.Fprintf(e.stderr, "Exported from %s.\n", blocksOf(x.indexed))
	if x.after == nil {
		fmt.Fprintf(e.stderr, "Exported 0 %s.\n", c.What)
	} else {
		fmt.Fprintf(e.stderr, "Exported %d %s. To continue later: --after %s\n", n, c.What, *x.after)
	}
	return nil
}

// reorged adds the command to continue with to an error that says that a reorg
// orphaned the cursor's block.
func reorged(e *env, err error) error {
	var known *nft.Error
	if !errors.As(err, &known) || known.Code != nft.CursorReorged {
		return err
	}
	rewind, _ := known.Details["rewindCursor"].(string)
	from := known.Details["retractedFromBlock"]
	return &exitError{exitReorged, fmt.Errorf("a reorg orphaned the cursor's block: drop the records from block %v on, then continue with: %s", from, e.continued(rewind))}
}

// exporter writes the records of a filter.
type exporter struct {
	store  *store.Store
	filter store.Filter
	write  func(*exported) error
	// after is the cursor of the last written record, n the number of written ones.
	after *string
	n     atomic.Int64
	// total is the number of matching records, 0 if unknown.
	total atomic.Int64
	// indexed are the indexed ranges of blocks that the last page covers.
	indexed []evm.Range
}

func (x *exporter) progress() (done, size int64) { return x.n.Load(), x.total.Load() }

// run reads page by page, each in a snapshot of its own: a long export keeps no
// transaction open.
func (x *exporter) run(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err := x.page(ctx); err != nil || !more {
			return err
		}
	}
}

func (x *exporter) page(ctx context.Context) (more bool, err error) {
	snapshot := x.store.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	size := x.store.MaxPageSize()
	page, err := snapshot.Page(x.filter, store.PageArgs{First: &size, After: x.after})
	if err != nil {
		return false, err
	}
	if err := page.Read(ctx, nil); err != nil {
		return false, err
	}
	if x.after == nil {
		total, err := page.Total(ctx)
		if err != nil {
			return false, err
		}
		x.total.Store(total)
	}
	if x.indexed, err = page.Indexed(ctx); err != nil {
		return false, err
	}
	for i := range page.Items {
		if err := x.write(newExported(&page.Items[i])); err != nil {
			return false, fmt.Errorf("writing records: %w", err)
		}
		x.n.Add(1)
	}
	if n := len(page.Items); n > 0 {
		cursor := page.Cursor(&page.Items[n-1])
		x.after = &cursor
	}
	return len(page.Items) == size, nil
}

// blocksOf returns ranges as words.
func blocksOf(ranges []evm.Range) string {
	if len(ranges) == 0 {
		return "no indexed blocks"
	}
	names := make([]string, len(ranges))
	for i, r := range ranges {
		names[i] = fmt.Sprintf("%d to %d", r.From, r.To)
	}
	return "blocks " + strings.Join(names, ", ")
}

// exported is a record with the documented names in their order (docs/data.md#export),
// and its keys: log index and sub index are unique within a block, and the id differs
// from that of an orphaned record in the same place.
type exported struct {
	TokenAddress    evm.Address      `json:"token_address"`
	ContractType    nft.ContractType `json:"contract_type"`
	TokenID         evm.Uint256      `json:"token_id"`
	BlockHash       evm.Hash         `json:"block_hash"`
	BlockNumber     uint64           `json:"block_number"`
	TransactionHash evm.Hash         `json:"transaction_hash"`
	LogIndex        uint32           `json:"log_index"`
	From            evm.Address      `json:"from"`
	To              evm.Address      `json:"to"`
	Amount          evm.Uint256      `json:"amount"`
	Operator        *evm.Address     `json:"operator"`
	Timestamp       uint64           `json:"timestamp"`
	BlockTime       uint64           `json:"block_time"`
	SubIndex        uint32           `json:"sub_index"`
	ID              string           `json:"id"`
}

func newExported(t *store.Transfer) *exported {
	x := &exported{
		TokenAddress: t.Contract, ContractType: t.Type, TokenID: t.TokenID, BlockHash: t.Block.Hash, BlockNumber: t.Block.Number,
		TransactionHash: t.TxHash, LogIndex: t.LogIndex, From: t.From, To: t.To, Amount: t.Amount, Timestamp: t.Time, BlockTime: t.Time,
		SubIndex: t.SubIndex, ID: t.ID(),
	}
	if t.Type == nft.ERC1155 {
		x.Operator = &t.Operator
	}
	return x
}

func writeNDJSON(w io.Writer) func(*exported) error {
	encoder := json.NewEncoder(w)
	return func(x *exported) error { return encoder.Encode(x) }
}

// csvColumns are the names of the fields of [exported].
var csvColumns = [...]string{
	"token_address", "contract_type", "token_id", "block_hash", "block_number", "transaction_hash", "log_index",
	"from", "to", "amount", "operator", "timestamp", "block_time", "sub_index", "id",
}

// writeCSV writes RFC 4180 with line feeds. A null operator is empty.
func writeCSV(w io.Writer, names bool) func(*exported) error {
	rows := csv.NewWriter(w)
	return func(x *exported) error {
		if names {
			names = false
			if err := rows.Write(csvColumns[:]); err != nil {
				return err
			}
		}
		operator, time := "", strconv.FormatUint(x.Timestamp, 10)
		if x.Operator != nil {
			operator = x.Operator.String()
		}
		err := rows.Write([]string{
			x.TokenAddress.String(), string(x.ContractType), x.TokenID.String(), x.BlockHash.String(), strconv.FormatUint(x.BlockNumber, 10),
			x.TransactionHash.String(), strconv.FormatUint(uint64(x.LogIndex), 10), x.From.String(), x.To.String(), x.Amount.String(),
			operator, time, time, strconv.FormatUint(uint64(x.SubIndex), 10), x.ID,
		})
		rows.Flush()
		return errors.Join(err, rows.Error())
	}
}
