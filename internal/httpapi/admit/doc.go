// Package admit decides who may run now: which client a request belongs to, whether it may use
// the API, and whether a slot, memory and quota are left for it.
//
// It guarantees that:
//   - no client can take everything: slots, memory, connections and cached values are shared by
//     client, and what is left is enough for the next one;
//   - a client with a key is the same client at every address, and no client can become another
//     by headers unless a trusted proxy sends them;
//   - a refused client gets an error of package failure, with Retry-After where trying again
//     helps.
//
// It never reads a document and does not know what an operation does: costs are numbers that
// the caller passes. Nothing here outlives the process.
//
// Start with clients.go, which says what a client is. callers.go and quotas.go are about API
// keys and quotas, limiter.go has the slots, budget.go and answersize.go the memory,
// connections.go the connections, and cache.go a cache that is fair to its clients.
package admit
