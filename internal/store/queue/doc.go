// Package queue gives out the tokens whose metadata must be fetched, and stores
// the results.
//
// What it promises: each minted token is given to one worker at a time, and again
// after each event that concerns it, whatever crashes, and after reorgs. Storing
// a block costs it nothing but a row for such an event.
//
// The queue is the table resolutions: one row for each token that was ever
// entered, which stays there. Its state is
//
//   - waiting: to be fetched, and no worker has it;
//   - leased: a worker has it. If its lease ends, the next to ask gets it;
//   - again: leased, and an event came since. It waits again after;
//   - done: nothing to do, or to be tried again at due_at.
//
// due_at is the sort key: −block for tokens never claimed, else the Unix time at
// which they become due, NULL if only an event wakes them. New mints come before
// all else, the newest of them first.
//
// The blocks whose mints are not in the queue yet are those that are indexed and
// not covered as queued. A worker enters them, the newest first, a few thousand at
// a time (enter.go): so nothing is lost by a crash, and the follower never waits
// longer than that. A metadata-update event is a row of refreshes until its tokens
// are marked.
//
// The package runs within the writing transactions of package store, which it
// knows as [Tx]. Open queue.go first.
package queue
