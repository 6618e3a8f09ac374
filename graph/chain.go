package graph

import (
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/store"
)

// maxRanges bounds the gaps and the unprovable ranges in an answer: the newest.
const maxRanges = 100

// chain returns the GraphQL object of the chain's state at a time.
func chain(c *store.Chain, now time.Time) *Chain {
	described := &Chain{
		IndexedRanges: ranges(c.Indexed), VerifiedRanges: ranges(c.Verified), Head: block(c.Head), Finalized: block(c.Finalized),
		Gaps: converted(newest(c.Gaps), gap), Provable: c.Provable(), UnprovableRanges: converted(newest(c.Unprovable), unprovable),
		Contracts: c.Contracts, Endpoints: converted(c.Endpoints, endpoint),
	}
	if c.ID != nil {
		id := evm.Long(*c.ID)
		described.ChainID = &id
	}
	if c.Head != nil {
		lag := evm.Long(max(0, now.Unix()-int64(c.Head.Time)))
		described.Lag = &lag
	}
	return described
}

// converted converts the elements of a list, which is never null.
func converted[S, T any](list []S, convert func(S) T) []T {
	made := make([]T, len(list))
	for i, element := range list {
		made[i] = convert(element)
	}
	return made
}

// newest returns the end of a list in ascending order.
func newest[T any](list []T) []T { return list[max(0, len(list)-maxRanges):] }

func ranges(list []store.Range) []BlockRange {
	return converted(list, func(r store.Range) BlockRange {
		return BlockRange{FromBlock: evm.Long(r.From), ToBlock: evm.Long(r.To)}
	})
}

// block converts a header; nil stays nil.
func block(h *evm.Header) *Block {
	if h == nil {
		return nil
	}
	return &Block{Number: evm.Long(h.Number), Hash: h.Hash, Timestamp: evm.Long(h.Time)}
}

func gap(g evm.Gap) Gap {
	return Gap{
		FromBlock: evm.Long(g.FromBlock), ToBlock: evm.Long(g.ToBlock), Reason: g.Reason,
		Since: evm.Long(g.Since), Tries: evm.Long(g.Tries), NextTry: evm.Long(g.NextTry),
	}
}

func unprovable(u store.Unprovable) UnprovableRange {
	return UnprovableRange{FromBlock: evm.Long(u.FromBlock), ToBlock: evm.Long(u.ToBlock), Reason: u.Reason}
}

func endpoint(e store.Endpoint) Endpoint {
	converted := Endpoint{URL: e.URL, Healthy: e.Healthy, LastError: orNull(e.LastError), Latency: evm.Long(e.LatencyMS), SeenAt: evm.Long(e.SeenAt)}
	if head := evm.Long(e.Head); head > 0 {
		converted.Head = &head
	}
	return converted
}
