package evm

// Gap is a range of blocks that is not indexed because no endpoint gives it, or because all
// have pruned it. It is retried later. Times are Unix seconds, UTC.
type Gap struct {
	FromBlock uint64 `json:"from_block"`
	ToBlock   uint64 `json:"to_block"`
	// Reason is the class of the last failure. It contains no text from a node.
	Reason string `json:"reason"`
	// Since is the time of the first failure, NextTry the time of the next attempt.
	Since   uint64 `json:"since"`
	NextTry uint64 `json:"next_try"`
	// Tries counts the attempts so far.
	Tries uint64 `json:"tries"`
}

// ReasonPruned is the reason of a gap that all endpoints have pruned.
const ReasonPruned = "pruned"

// Range returns the gap's block range.
func (g *Gap) Range() Range { return Range{From: g.FromBlock, To: g.ToBlock} }
