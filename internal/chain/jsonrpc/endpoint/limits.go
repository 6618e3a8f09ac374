package endpoint

import (
	"sync"

	"mintburn/internal/chain/jsonrpc/rpcerror"
)

// limits are the batch sizes that an endpoint accepts, as far as its answers show them.
type limits struct {
	// size is [settings.Options.BatchSize].
	size int

	// mu guards everything below.
	mu sync.Mutex
	// most is the most calls in a batch.
	most int
	// soon is the most calls in the next batch: fewer than most after an answer that did not
	// arrive.
	soon int
	// refused is the number of small batches refused in a row, see [limits.answeredBatch].
	refused int
}

// batch returns the most calls that the endpoint accepts in a batch.
func (l *limits) batch() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.most
}

// allow records that the endpoint accepts at most n calls in a batch.
func (l *limits) allow(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.most = max(1, min(l.most, n))
}

// next returns the most calls in the next batch.
func (l *limits) next() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return min(l.most, l.soon)
}

// arrived allows larger batches after the answer to n calls.
func (l *limits) arrived(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n >= l.soon {
		l.soon = min(2*n, l.size)
	}
}

// lost halves the next batch after a lost answer to n calls.
func (l *limits) lost(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.soon = n / 2
}

// An endpoint answers no batches if it refused mostRefused batches of at most smallBatch
// calls in a row, while it answered single calls.
const mostRefused, smallBatch = 3, 3

// answeredBatch learns from the result of n calls whether the endpoint answers batches.
func (l *limits) answeredBatch(n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case n == 1 && err == nil && l.refused >= mostRefused:
		l.most = 1
	case (n == 1) == (err != nil):
		l.refused = 0
	case n <= smallBatch && rpcerror.InfoOf(err).Whole:
		l.refused++
	}
}
