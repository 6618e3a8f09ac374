// Package queue hands out the tokens whose metadata must be fetched, and stores
// the results.
//
// Each minted token goes to one worker at a time. After each metadata-update event that
// concerns it, it goes to a worker again. Both hold despite crashes and reorgs. Storing a
// block costs the queue nothing but a row for each such event.
//
// The queue is the table resolutions, which has a row for each token that was ever
// entered. The state of a row is
//
//   - waiting: the token must be fetched, and no worker has it;
//   - leased: a worker has it. When the lease ends, the next worker to claim gets it;
//   - again: leased, and an event has concerned it since. After the fetch it waits again;
//   - done: nothing to do until due_at, if that is set.
//
// due_at is the sort key: −block for tokens never claimed, else the Unix time at
// which they become due, NULL if only an event wakes them. New mints come before
// all other tokens, the newest first.
//
// The mints of a block are not in the queue yet if the block is indexed but not covered
// as queued. Workers enter such mints, the newest first, a few thousand at a time
// (enter.go), so a crash loses nothing and the follower waits for one such step at most.
// A metadata-update event is a row of refreshes until its tokens are marked.
//
// Collections have a queue of their own, the table contract_metadata, with the same states.
// Their turn comes when no token is due. Each contract enters it with its first record or
// document (collections.go).
//
// The package runs within writing transactions of package store ([Tx]). Open queue.go
// first.
package queue
