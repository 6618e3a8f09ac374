package store

import (
	"context"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store/digest"
	"mintburn/internal/store/read"
)

// Digests are the digests of the records of a range of blocks, see package digest.
type Digests digest.Digests

// maxDigested is how many records a digest is computed from, besides stored digests.
const maxDigested = 2_000

// DigestOf returns the digests of the blocks from first to last. Its errors have the code BAD_USER_INPUT,
// BLOCK_NOT_INDEXED, UNAVAILABLE if too many blocks have no digests yet, or QUERY_TOO_COSTLY.
func DigestOf(ctx context.Context, s *read.Snapshot, first, last evm.Long) (Digests, error) {
	if first > last {
		return Digests{}, apierror.Errorf(apierror.BadUserInput, "fromBlock: got %d, want at most toBlock, %d", first, last)
	}
	err := read.RequireRange(ctx, s, &first, &last)
	if err == nil {
		// A range that ends beyond the head has no digest yet.
		err = read.RequireRange(ctx, s, &last, &last)
	}
	if err != nil {
		return Digests{}, err
	}
	digests, err := digest.Of(s.Tx, s.Client()).Range(ctx, evm.Range{From: uint64(first), To: uint64(last)}, maxDigested)
	return Digests(digests), err
}
