package tables

import (
	"context"
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
	// SlotBits is how many bits of a position hold the place within the block.
	SlotBits = 30
	// MaxBlock is the largest block number that can be stored: a position has
	// room for it, with one to spare at the end.
	MaxBlock = 1<<33 - 2
	// MaxPosition is the last position.
	MaxPosition = MaxBlock<<SlotBits | (1<<SlotBits - 1)
)

// FirstIn returns the first position of a block, which must be at most
// [MaxBlock].
func FirstIn(block uint64) int64 { return int64(block) << SlotBits }

// LastIn returns the last position of a block. It holds no record.
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

// TypeOf returns the standard of a collection whose records have these
// standards. A contract with both is called ERC-721. One without records has its
// documents alone: only an ERC-1155 URI has {id}.
func TypeOf(standards int8, uriHasID bool) nft.ContractType {
	if standards == ERC1155 || standards == 0 && uriHasID {
		return nft.ERC1155
	}
	return nft.ERC721
}

// FetchState returns the state of a token's metadata: "" for a token that was never tried,
// which has neither a document nor an error. row is the token's in the queue, nil if it
// has none.
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
	// TokenID is the token whose state changes, if it was never tried before or after.
	TokenID  evm.Uint256
	From, To nft.MetadataState
	// Tokens is how many tokens it is.
	Tokens int64
}

// Storable replaces what a text column of PostgreSQL can't hold, U+0000 and
// bytes that are not UTF-8, by U+FFFD; in SQLite too, so that both give the
// same answers.
func Storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// Coverage is ranges of blocks of several kinds: indexed, verified, final,
// linked, queued. Ranges of one kind neither overlap nor touch.

// Found returns false for the error with which ent says that there is no row.
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

// Cover adds ranges to those of a kind, and joins each with the ranges that it
// meets.
func Cover(ctx context.Context, client *ent.Client, kind coverage.Kind, ranges ...evm.Range) error {
	for _, r := range ranges {
		if err := cover(ctx, client, kind, r); err != nil {
			return err
		}
	}
	return nil
}

func cover(ctx context.Context, client *ent.Client, kind coverage.Kind, r evm.Range) error {
	// The last range that begins before r, and those that begin within it or
	// right after it, are all that can meet it.
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

// Uncover removes a range from those of a kind.
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

// Common returns the parts of ranges, which are in order, within another.
func Common(ranges []evm.Range, with evm.Range) []evm.Range {
	list := make([]evm.Range, 0, len(ranges))
	for _, r := range ranges {
		if r.From <= with.To && r.To >= with.From {
			list = append(list, evm.Range{From: max(r.From, with.From), To: min(r.To, with.To)})
		}
	}
	return list
}

// Missing returns the parts of a range that are in none of others, which are in
// order.
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

// Without returns ranges without the blocks of others.
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

// The names of settings. Each value is JSON, unless said otherwise.
const (
	// ChainID is the EIP-155 chain id.
	ChainID = "chain_id"
	// Finalized is the last block that the chain called final, an [evm.Header].
	Finalized = "finalized"
	// Contracts are the collections that alone are indexed; absent when all are.
	Contracts = "contracts"
	// Deployment is the first block that may have a record, as the operator declared.
	Deployment = "deployment"
	// Decoding are the options of the decoder, Redecoding is an unfinished change
	// of them.
	Decoding   = "decoding"
	Redecoding = "redecoding"
	// Endpoints are the reports on the nodes.
	Endpoints = "endpoints"
	// LeavesOut are the URLs of the nodes that were caught leaving logs out.
	LeavesOut = "leaves_out_logs"
	// Spotted are the ranges of blocks of which a spot was proved.
	Spotted = "spotted"
	// Generation is a random text, see generation.go of package store.
	Generation = "generation"
	// PendingIndexes are the statements that a load has left to do.
	PendingIndexes = "pending_indexes"
	// Numbering is how the chain numbers its logs, a text; absent until a block
	// has shown it.
	Numbering = "log_numbering"
	// Gaps are the blocks that were given up, an array of [evm.Gap] in order.
	// Those that are indexed since are no gaps any more; the next change of the
	// setting drops them.
	Gaps = "gaps"
	// Unprovable are the blocks that can't be proved, in order.
	Unprovable = "unprovable"
	// TimesFall is the lowest stored block whose time is below that of a stored block
	// before it, a number; absent where times do not fall.
	TimesFall = "times_fall"
	// CompatibleFrom is the oldest schema version whose programs work with the database,
	// a number; absent while all do that know its version. Migrations set it.
	CompatibleFrom = "compatible_from"
)

// CheckCompatible returns a [*database.SchemaError] if the value of [CompatibleFrom] is
// above the schema version that this program knows. "" is none.
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

// Setting returns the text of a setting, and false if there is none.
func Setting(ctx context.Context, client *ent.Client, name string) (string, bool, error) {
	row, found, err := Found(client.Setting.Get(ctx, name))
	if err != nil || !found {
		return "", false, database.Wrap(err, "reading %s", name)
	}
	return row.Value, true, nil
}

// Get reads a setting that is JSON. It returns false, and leaves the value as it
// is, if there is none.
func Get(ctx context.Context, client *ent.Client, name string, to any) (bool, error) {
	text, found, err := Setting(ctx, client, name)
	if err != nil || !found {
		return false, err
	}
	return true, parse(name, text, to)
}

// parse reads a setting's text.
func parse(name, text string, to any) error {
	return database.Wrap(json.Unmarshal([]byte(text), to), "reading %s", name)
}

// All reads the given settings that are stored, each into the value of its name.
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

// Remove removes a setting.
func Remove(ctx context.Context, client *ent.Client, name string) error {
	_, err := client.Setting.Delete().Where(setting.ID(name)).Exec(ctx)
	return database.Wrap(err, "removing %s", name)
}

// FinalizedBlock returns the last block that the chain called final, and false
// while no node has said.
func FinalizedBlock(ctx context.Context, client *ent.Client) (header evm.Header, known bool, err error) {
	known, err = Get(ctx, client, Finalized, &header)
	return header, known, err
}
