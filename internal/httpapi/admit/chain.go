package admit

import "context"

// chainKey is the context key of the name of a chain.
type chainKey struct{}

// OnChain returns the context of what concerns the chain with a name.
func OnChain(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, chainKey{}, name)
}

// ChainOf returns the name of the chain that a context concerns, or "": then it concerns the server's
// only chain, which has no name, or none yet.
func ChainOf(ctx context.Context) string {
	name, _ := ctx.Value(chainKey{}).(string)
	return name
}
