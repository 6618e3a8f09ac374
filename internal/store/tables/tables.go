package tables

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/coverage"
	"mintburn/ent/resolution"
	"mintburn/ent/setting"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

const (
	// SlotBits is the number of bits of a position that hold the slot within the block.
	SlotBits = 30
	// MaxBlock is the largest block number that can be stored, one less than the
	// largest that fits into a position.
	MaxBlock = 1<<33 - 2
	// MaxPosition is the last position.
	MaxPosition = MaxBlock<<SlotBits | (1<<SlotBits - 1)
)

// FirstIn returns the first position of a block, which must be at most
// [MaxBlock].
func FirstIn(block uint64) int64 { return int64(block) << SlotBits }

// LastIn returns the last position of a block. No record has it.
func LastIn(block uint64) int64 { return FirstIn(block) | (1<<SlotBits - 1) }

// BlockOf returns the block of a position.
func BlockOf(position int64) uint64 { return uint64(position) >> SlotBits }

// The bits of a contract's standards; a record has one of them.
const (
	ERC721  = 1
	ERC1155 = 2
)

// StandardOf returns the bit of a standard.
func StandardOf(t nft.ContractType) int8 {
	if t == nft.ERC1155 {
		return ERC1155
	}
	return ERC721
}

// TypeOf returns the standard of a collection whose records have these standards, ERC-721
// if they have both. A collection without records is recognised by its documents: only
// ERC-1155 URIs contain {id}.
func TypeOf(standards int8, uriHasID bool) nft.ContractType {
	if standards == ERC1155 || standards == 0 && uriHasID {
		return nft.ERC1155
	}
	return nft.ERC721
}

// FetchState returns the state of a token's metadata, or "" for a token without a document
// or an error, which was never fetched. row is the token's row in the queue, or nil.
func FetchState(documented bool, row *ent.Resolution) nft.MetadataState {
	switch {
	case row != nil && row.Error != nil:
		return nft.Failed
	case !documented:
		return ""
	case row != nil && row.State != resolution.StateDone:
		return nft.Pending
	}
	return nft.Resolved
}

// StateChange is a change of the fetch states of some tokens of a collection.
type StateChange struct {
	ContractID int64
	// TokenID is the token whose state changes, if From or To is "".
	TokenID  evm.Uint256
	From, To nft.MetadataState
	// Tokens is the number of tokens.
	Tokens int64
}

// Storable replaces U+0000 and invalid UTF-8, which PostgreSQL cannot store as text, by
// U+FFFD. It does so for SQLite too, so that both return the same values.
func Storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// Coverage consists of ranges of blocks of several kinds: indexed, verified, final,
// linked, queued, digested. Ranges of one kind neither overlap nor touch.

// Found returns false and no error if ent reports that there is no row.
func Found[T any](row T, err error) (T, bool, error) {
	if ent.IsNotFound(err) {
		return row, false, nil
	}
	return row, err == nil, err
}

// RangeOf returns the range of a row.
func RangeOf(row *ent.Coverage) evm.Range {
	return evm.Range{From: uint64(row.FromBlock), To: uint64(row.ToBlock)}
}

// Ranges returns the ranges of a kind in order.
func Ranges(ctx context.Context, client *ent.Client, kind coverage.Kind) ([]evm.Range, error) {
	ranges, err := RangesOf(ctx, client, kind)
	return ranges[kind], err
}

// RangesOf returns the ranges of each kind in order.
func RangesOf(ctx context.Context, client *ent.Client, kinds ...coverage.Kind) (map[coverage.Kind][]evm.Range, error) {
	rows, err := client.Coverage.Query().Where(coverage.KindIn(kinds...)).Order(coverage.ByKind(), coverage.ByFromBlock()).All(ctx)
	ranges := map[coverage.Kind][]evm.Range{}
	for _, row := range rows {
		ranges[row.Kind] = append(ranges[row.Kind], RangeOf(row))
	}
	return ranges, database.Wrap(err, "reading coverage")
}

// RangeBelow returns the last range of a kind that begins at or below a block,
// and false if there is none.
func RangeBelow(ctx context.Context, client *ent.Client, kind coverage.Kind, number uint64) (evm.Range, bool, error) {
	row, found, err := Found(client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(number))).
		Order(coverage.ByFromBlock(entsql.OrderDesc())).First(ctx))
	if err != nil || !found {
		return evm.Range{}, false, database.Wrap(err, "reading coverage")
	}
	return RangeOf(row), true, nil
}

// RangeContaining returns the range of a kind that contains a block, and false if
// there is none.
func RangeContaining(ctx context.Context, client *ent.Client, kind coverage.Kind, number uint64) (evm.Range, bool, error) {
	r, found, err := RangeBelow(ctx, client, kind, number)
	return r, found && number <= r.To, err
}

// Cover adds ranges to those of a kind, and joins each with the ranges that it overlaps
// or touches.
func Cover(ctx context.Context, client *ent.Client, kind coverage.Kind, ranges ...evm.Range) error {
	for _, r := range ranges {
		if err := cover(ctx, client, kind, r); err != nil {
			return err
		}
	}
	return nil
}

func cover(ctx context.Context, client *ent.Client, kind coverage.Kind, r evm.Range) error {
	// Only the last range that begins before r, and those that begin within it or
	// right after it, can overlap or touch it.
	before, found, err := RangeBelow(ctx, client, kind, r.From)
	if err != nil || found && before.To >= r.To {
		return err
	}
	if found && before.To+1 >= r.From {
		r.From = before.From
	}
	last, found, err := RangeBelow(ctx, client, kind, r.To+1)
	if err != nil {
		return err
	}
	if found {
		r.To = max(r.To, last.To)
	}
	_, err = client.Coverage.Delete().
		Where(coverage.KindEQ(kind), coverage.FromBlockGTE(int64(r.From)), coverage.FromBlockLTE(int64(r.To))).Exec(ctx)
	if err != nil {
		return fmt.Errorf("storing coverage: %w", err)
	}
	return create(ctx, client, kind, []evm.Range{r})
}

// Uncover removes the blocks of a range from the ranges of a kind.
func Uncover(ctx context.Context, client *ent.Client, kind coverage.Kind, r evm.Range) error {
	rows, err := client.Coverage.Query().Where(coverage.KindEQ(kind), coverage.FromBlockLTE(int64(r.To)), coverage.ToBlockGTE(int64(r.From))).All(ctx)
	if err != nil {
		return fmt.Errorf("reading coverage: %w", err)
	}
	for _, row := range rows {
		if err := client.Coverage.DeleteOne(row).Exec(ctx); err != nil {
			return fmt.Errorf("trimming coverage: %w", err)
		}
		if err := create(ctx, client, kind, Without([]evm.Range{RangeOf(row)}, r)); err != nil {
			return err
		}
	}
	return nil
}

// SetRanges replaces the ranges of a kind.
func SetRanges(ctx context.Context, client *ent.Client, kind coverage.Kind, ranges []evm.Range) error {
	if _, err := client.Coverage.Delete().Where(coverage.KindEQ(kind)).Exec(ctx); err != nil {
		return fmt.Errorf("storing coverage: %w", err)
	}
	return create(ctx, client, kind, ranges)
}

func create(ctx context.Context, client *ent.Client, kind coverage.Kind, ranges []evm.Range) error {
	for _, r := range ranges {
		if err := client.Coverage.Create().SetKind(kind).SetFromBlock(int64(r.From)).SetToBlock(int64(r.To)).Exec(ctx); err != nil {
			return fmt.Errorf("storing coverage: %w", err)
		}
	}
	return nil
}

// Common returns the parts of ranges within another range. ranges must be in order.
func Common(ranges []evm.Range, with evm.Range) []evm.Range {
	list := make([]evm.Range, 0, len(ranges))
	for _, r := range ranges {
		if r.From <= with.To && r.To >= with.From {
			list = append(list, evm.Range{From: max(r.From, with.From), To: min(r.To, with.To)})
		}
	}
	return list
}

// Missing returns the parts of whole that are in none of ranges, which must be in order.
func Missing(ranges []evm.Range, whole evm.Range) []evm.Range {
	var list []evm.Range
	for _, r := range Common(ranges, whole) {
		if whole.From < r.From {
			list = append(list, evm.Range{From: whole.From, To: r.From - 1})
		}
		whole.From = r.To + 1
	}
	if whole.From <= whole.To {
		list = append(list, whole)
	}
	return list
}

// Without returns ranges without the removed blocks.
func Without(ranges []evm.Range, removed ...evm.Range) []evm.Range {
	for _, gone := range removed {
		var rest []evm.Range
		for _, r := range ranges {
			rest = append(rest, Missing([]evm.Range{gone}, r)...)
		}
		ranges = rest
	}
	return ranges
}

// The names of settings. Each value is JSON, unless noted otherwise.
const (
	// ChainID is the EIP-155 chain id.
	ChainID = "chain_id"
	// Finalized is the last finalized block that a node reported, an [evm.Header].
	Finalized = "finalized"
	// Contracts are the only collections that are indexed; absent if all are.
	Contracts = "contracts"
	// Deployment is the first block that may have a record, as declared by the operator.
	Deployment = "deployment"
	// Decoding are the options of the decoder, Redecoding is a change of them that a build
	// before v0.1.0 has not finished.
	Decoding   = "decoding"
	Redecoding = "redecoding"
	// Transactions is true if the details of the transactions of new records are stored.
	Transactions = "transactions"
	// Endpoints are the reports on the nodes.
	Endpoints = "endpoints"
	// LeavesOut are the URLs of the nodes that were found to leave out logs.
	LeavesOut = "leaves_out_logs"
	// BloomsDropped is set once no block is verified by an all-zero bloom filter, on a chain
	// that has such filters.
	BloomsDropped = "blooms_dropped"
	// Spotted are the ranges of blocks whose spot was proved, see proofs.go of package
	// store.
	Spotted = "spotted"
	// PendingIndexes are the statements that a load has yet to execute.
	PendingIndexes = "pending_indexes"
	// Numbering is how the chain numbers its logs, plain text; absent until a block
	// has shown it.
	Numbering = "log_numbering"
	// Gaps are the left-out blocks, an array of [evm.Gap] in order. Blocks that were
	// indexed since are no longer gaps; the next change of the setting drops them.
	Gaps = "gaps"
	// Unprovable are the blocks that cannot be proved, in order.
	Unprovable = "unprovable"
	// TimesFall is the lowest stored block whose time is below that of a stored block
	// before it, a number; absent if times do not fall.
	TimesFall = "times_fall"
	// History is a random text that identifies the history of the database, see package
	// store.
	History = "history"
	// LastCommit is a random text that the last transaction with the lease stored.
	LastCommit = "last_commit"
	// Copying marks the target of a copy from its first commit to its last.
	Copying = "copying"
	// CompatibleFrom is the oldest schema version whose programs work with the database,
	// a number; absent if all programs that know its version do. Migrations set it.
	CompatibleFrom = "compatible_from"
)

// CheckCompatible returns a [*database.SchemaError] if the value of [CompatibleFrom] is
// above the schema version that this program knows. value is "" if it is not set.
func CheckCompatible(value string, known int64) error {
	if value == "" {
		return nil
	}
	var oldest int64
	if err := parse(CompatibleFrom, value, &oldest); err != nil {
		return err
	}
	if oldest > known {
		return &database.SchemaError{Needed: oldest, Known: known}
	}
	return nil
}

// Setting returns the text of a setting, and false if it is not stored.
func Setting(ctx context.Context, client *ent.Client, name string) (string, bool, error) {
	row, found, err := Found(client.Setting.Get(ctx, name))
	if err != nil || !found {
		return "", false, database.Wrap(err, "reading %s", name)
	}
	return row.Value, true, nil
}

// Get decodes a JSON setting into to. It returns false, and does not change to, if the
// setting is not stored.
func Get(ctx context.Context, client *ent.Client, name string, to any) (bool, error) {
	text, found, err := Setting(ctx, client, name)
	if err != nil || !found {
		return false, err
	}
	return true, parse(name, text, to)
}

// parse decodes the text of a JSON setting.
func parse(name, text string, to any) error {
	return database.Wrap(json.Unmarshal([]byte(text), to), "reading %s", name)
}

// All decodes the stored settings among those in read, each into the value of its name.
func All(ctx context.Context, client *ent.Client, read map[string]any) error {
	rows, err := client.Setting.Query().All(ctx)
	if err != nil {
		return fmt.Errorf("reading settings: %w", err)
	}
	for _, row := range rows {
		if to, known := read[row.ID]; known {
			if err := parse(row.ID, row.Value, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// Set stores a setting as JSON.
func Set(ctx context.Context, client *ent.Client, name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", name, err)
	}
	return SetText(ctx, client, name, string(text))
}

// SetText stores a setting.
func SetText(ctx context.Context, client *ent.Client, name, text string) error {
	n, err := client.Setting.Update().Where(setting.ID(name)).SetValue(text).Save(ctx)
	if err == nil && n == 0 {
		err = client.Setting.Create().SetID(name).SetValue(text).Exec(ctx)
	}
	return database.Wrap(err, "storing %s", name)
}

// NewHistory begins a new history, see history.go of package read.
func NewHistory(ctx context.Context, client *ent.Client) error {
	return SetText(ctx, client, History, rand.Text())
}

// Remove removes a setting.
func Remove(ctx context.Context, client *ent.Client, name string) error {
	_, err := client.Setting.Delete().Where(setting.ID(name)).Exec(ctx)
	return database.Wrap(err, "removing %s", name)
}

// FinalizedBlock returns the last finalized block, and false if no node has reported one.
func FinalizedBlock(ctx context.Context, client *ent.Client) (header evm.Header, known bool, err error) {
	known, err = Get(ctx, client, Finalized, &header)
	return header, known, err
}
