package httpapi

import (
	"net/http"
	"sync"

	"mintburn/internal/httpapi/failure"
	"mintburn/internal/nft"
)

// answerSize bounds the answer to a request, over all operations of a batch, while it is
// written.
type answerSize struct {
	budget *memoryBudget
	max    int

	mu sync.Mutex // guards the fields below
	// buffer holds the answer's part of the budget.
	buffer buffer
	size   int
	// held is how many bytes were read for the answer.
	held int64
	// failed is the error that ended the answer, or nil.
	failed *failure.Error
	// first is the growth of the first operation.
	first growing
}

// answerSize returns the size of an answer of at most so many bytes. The caller must call
// release.
func (m *memoryBudget) answerSize(r *http.Request, most int) *answerSize {
	a := m.sizes.Get().(*answerSize)
	a.budget, a.max, a.buffer.request = m, most, r
	return a
}

// operation returns the growth of another operation.
func (a *answerSize) operation() *growing {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first.all == nil {
		a.first.all = a
		return &a.first
	}
	return &growing{all: a}
}

// free returns the answer's part of the budget, once the answer is in another buffer.
func (a *answerSize) free() { a.budget.release(&a.buffer) }

// release returns the size to the pool.
func (a *answerSize) release() {
	a.free()
	a.buffer.request, a.size, a.held, a.failed, a.first = nil, 0, 0, nil, growing{}
	a.budget.sizes.Put(a)
}

// growing is the size of the answer to one operation.
type growing struct {
	all *answerSize
	// held is the operation's part of the budget in bytes.
	size, held int
}

// Grow implements [fastql.Growth].
func (g *growing) Grow(size, capacity int) error {
	if capacity <= pooledBuffer {
		// A buffer of this capacity is reused.
		capacity = size
	}
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	a.size += size - g.size
	g.size = size
	switch more := capacity - g.held; {
	case a.failed != nil:
	case a.size > a.max:
		a.failed = failure.New(nft.QueryTooCostly, "the answer is too long: want at most %d bytes; ask for smaller pages or fewer fields", a.max)
		a.failed.Errors[0].Extensions["maxAnswer"] = a.max
	case more > 0 && capacity > smallBuffer:
		g.held = capacity
		if !a.budget.take(&a.buffer, more) {
			a.failed = failure.Busy("too many large answers")
		}
	}
	return a.ended()
}

// Hold implements [fastql.Growth]. A text is in memory twice, as read and in the answer, so
// texts may use half of the answer's bytes.
func (g *growing) Hold(n int64) (excess int64, err error) {
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	switch excess = a.held + n - int64(a.max/2); {
	case a.failed != nil:
	case excess > 0:
		return excess, nil
	case a.budget.take(&a.buffer, int(n)):
		a.held += n
	default:
		a.failed = failure.Busy("too many large answers")
	}
	return 0, a.ended()
}

// ended returns an error for resolvers if the answer has ended. The caller must hold mu.
func (a *answerSize) ended() error {
	if a.failed == nil {
		return nil
	}
	return nft.Errorf(nft.QueryTooCostly, "%s", a.failed.Errors[0].Message)
}

// why returns the error that ended the answer, or nil.
func (a *answerSize) why() *failure.Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}
