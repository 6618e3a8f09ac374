package graph

import (
	"context"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/evm"
	"mintburn/internal/fastql"
	"mintburn/internal/store"
	"mintburn/internal/store/read"
)

// maxRanges is the maximum number of gaps and of unprovable ranges in an answer; the newest
// are returned.
const maxRanges = 100

// chain returns the GraphQL object for the chain's state at a time.
func chain(c *read.Chain, now time.Time) *Chain {
	described := &Chain{
		IndexedRanges: c.Indexed, VerifiedRanges: c.Verified, Head: c.Head, Finalized: c.Finalized, Gaps: newest(c.Gaps),
		Provable: c.Provable(), UnprovableRanges: newest(c.Unprovable), Contracts: c.Contracts,
		BurnAddresses: c.Decoding.BurnAddresses, Unindexed: c.Decoding.Unindexed,
	}
	if c.Decoding.RangeCap > 0 {
		described.RangeCap = (*evm.Long)(&c.Decoding.RangeCap)
	}
	for _, e := range c.Endpoints {
		described.Endpoints = append(described.Endpoints, endpoint(e, now))
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

// newest returns the last maxRanges elements of a list.
func newest[T any](list []T) []T { return list[max(0, len(list)-maxRanges):] }

func endpoint(e read.Endpoint, now time.Time) Endpoint {
	converted := Endpoint{URL: e.URL, LastError: orNull(e.LastError), Latency: evm.Long(e.LatencyMS), SeenAt: evm.Long(e.SeenAt)}
	if e.Current(now) {
		converted.Healthy = &e.Healthy
	}
	if head := evm.Long(e.Head); head > 0 {
		converted.Head = &head
	}
	if first := evm.Long(e.FirstBlock); first > 0 {
		converted.FirstBlock = &first
	}
	return converted
}

// wantsFollowing reports whether the root field in a context selects following, which takes a
// statement of its own.
func wantsFollowing(ctx context.Context) (wants bool) {
	fastql.EachField(rootField(ctx).Selections, graphql.GetOperationContext(ctx).Variables, func(f *ast.Field) { wants = wants || f.Name == "following" })
	return wants
}

// Chain implements [ResolverRoot].
func (r *Resolver) Chain() ChainResolver { return &chainResolver{} }

type chainResolver struct{}

// Digest is the resolver for the digest field.
func (*chainResolver) Digest(ctx context.Context, objs []*Chain, fromBlock, toBlock evm.Long) ([]*store.Digests, error) {
	digests, err := store.DigestOf(ctx, snapshotOf(ctx).Snapshot, fromBlock, toBlock)
	if err != nil {
		return nil, err
	}
	return slices.Repeat([]*store.Digests{&digests}, len(objs)), nil
}
