package evm

// Gap is a range of blocks that is not indexed because every endpoint contradicts
// itself about it. It is tried again later. Times are Unix seconds, UTC.
type Gap struct {
	FromBlock uint64 `json:"from_block"`
	ToBlock   uint64 `json:"to_block"`
	// Reason is the class of the last failure; it quotes no node.
	Reason string `json:"reason"`
	// Since is the time of the first failure, NextTry that of the next try.
	Since   uint64 `json:"since"`
	NextTry uint64 `json:"next_try"`
	// Tries counts the tries so far.
	Tries uint64 `json:"tries"`
}

// Range returns the gap's blocks.
func (g *Gap) Range() Range { return Range{From: g.FromBlock, To: g.ToBlock} }
