package write

import (
	"mintburn/internal/nft"
	"mintburn/internal/store/counter"
)

// contractCounts are changes to the counts of a collection.
type contractCounts struct {
	// documents counts tokens with a document, tokens those with records.
	documents, tokens, resolved, pending, failed, recordless int64
	records                                                  [2]counter.Tally // by kind
}

// countState adds n tokens with a fetch state; "" means none.
func (c *contractCounts) countState(state nft.MetadataState, n int64) {
	switch state {
	case nft.Resolved:
		c.resolved += n
	case nft.Pending:
		c.pending += n
	case nft.Failed:
		c.failed += n
	}
}
