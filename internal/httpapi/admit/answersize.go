package admit

import (
	"net/netip"
	"sync"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
)

// AnswerSize bounds the answer to a request, over all operations of a batch, while it is
// written. It is safe for concurrent use.
type AnswerSize struct {
	budget *Budget
	max    int

	mu sync.Mutex // guards the fields below
	// buffer holds the answer's part of the budget.
	buffer Buffer
	size   int
	// held is how many bytes were read for the answer.
	held int64
	// failed is the error that ended the answer, or nil.
	failed *failure.Error
	// first is the growth of the first operation.
	first Growth
}

// AnswerSize returns the size of an answer of at most so many bytes to a client. The caller must
// call [AnswerSize.Release].
func (m *Budget) AnswerSize(client netip.Addr, most int) *AnswerSize {
	a := m.sizes.Get().(*AnswerSize)
	a.budget, a.max, a.buffer.owner = m, most, client
	return a
}

// Operation returns the growth of the answer to another operation of the request.
func (a *AnswerSize) Operation() *Growth {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first.all == nil {
		a.first.all = a
		return &a.first
	}
	return &Growth{all: a}
}

// Free returns the answer's part of the budget, once the answer is in another buffer.
func (a *AnswerSize) Free() { a.budget.Release(&a.buffer) }

// Release returns the answer's part of the budget, and the size to the pool. The size must not
// be used any more.
func (a *AnswerSize) Release() {
	a.Free()
	a.buffer.owner, a.size, a.held, a.failed, a.first = netip.Addr{}, 0, 0, nil, Growth{}
	a.budget.sizes.Put(a)
}

// Growth is the size of the answer to one operation, in bytes.
type Growth struct {
	all *AnswerSize
	// held is the operation's part of the budget in bytes.
	size, held int
}

// Grow implements fastql.Growth: the data has size bytes in a buffer of a capacity. It returns an
// error if the whole answer is longer than its maximum, or if no memory is left.
func (g *Growth) Grow(size, capacity int) error {
	if capacity <= PooledBuffer {
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
		a.failed = failure.New(apierror.QueryTooCostly, "the answer is too long: want at most %d bytes; ask for smaller pages or fewer fields", a.max)
		a.failed.Errors[0].Extensions["maxAnswer"] = a.max
	case more > 0 && capacity > SmallBuffer:
		g.held = capacity
		if !a.budget.Take(&a.buffer, more) {
			a.failed = failure.Busy("too many large answers")
		}
	}
	return a.ended()
}

// Hold implements fastql.Growth: it reserves n bytes of texts. A text is in memory twice, as read
// and in the answer, so texts may use half of the answer's bytes; beyond that, Hold returns the
// excess and reserves nothing.
func (g *Growth) Hold(n int64) (excess int64, err error) {
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	switch excess = a.held + n - int64(a.max/2); {
	case a.failed != nil:
	case excess > 0:
		return excess, nil
	case a.budget.Take(&a.buffer, int(n)):
		a.held += n
	default:
		a.failed = failure.Busy("too many large answers")
	}
	return 0, a.ended()
}

// ended returns an error for resolvers if the answer has ended. The caller must hold mu.
func (a *AnswerSize) ended() error {
	if a.failed == nil {
		return nil
	}
	return apierror.Errorf(apierror.QueryTooCostly, "%s", a.failed.Errors[0].Message)
}

// Why returns the error that ended the answer, or nil.
func (a *AnswerSize) Why() *failure.Error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}
