package httpapi

import (
	"bytes"
	"net/http"
	"net/netip"
	"sync"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
)

// smallBuffer is the largest buffer, in bytes, outside the memory budget;
// pooledBuffer is the largest capacity of a buffer that is reused.
const smallBuffer, pooledBuffer = 16 << 10, 1 << 20

// memoryBudget is the memory for large bodies and answers of all requests. A
// client may take as much as remains after it: one alone gets half, two get a third
// each, and some is always left for the next.
type memoryBudget struct {
	size    int64
	clients *clients
	// buffers and sizes are free for reuse.
	buffers, sizes sync.Pool

	mu sync.Mutex // guards what follows
	// used is the sum of byClient.
	used     int64
	byClient map[netip.Addr]int64
}

func newMemoryBudget(size int64, known *clients) *memoryBudget {
	return &memoryBudget{
		size: size, clients: known, byClient: map[netip.Addr]int64{},
		buffers: sync.Pool{New: func() any { return &buffer{} }},
		sizes:   sync.Pool{New: func() any { return &answerSize{} }},
	}
}

// buffer holds one body or one answer.
type buffer struct {
	bytes.Buffer
	// request is the request of the body or the answer.
	request *http.Request
	// taken is its part of the budget in bytes, and client is who has it.
	taken  int64
	client netip.Addr
}

// buffer returns an empty buffer for a request; drop must follow.
func (m *memoryBudget) buffer(r *http.Request) *buffer {
	b := m.buffers.Get().(*buffer)
	b.request = r
	return b
}

// take takes n more bytes for a buffer. It reports false if they are not left.
func (m *memoryBudget) take(b *buffer, n int) bool {
	if !b.client.IsValid() && b.request != nil {
		b.client = m.clients.of(b.request)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byClient[b.client]+int64(n) > m.size-m.used-int64(n) {
		return false
	}
	m.add(b, int64(n))
	return true
}

// add adds to a buffer's part; the caller must hold mu.
func (m *memoryBudget) add(b *buffer, n int64) {
	b.taken += n
	m.used += n
	if m.byClient[b.client] += n; m.byClient[b.client] == 0 {
		delete(m.byClient, b.client)
	}
}

// hold takes the memory of a body of n bytes, of which the first smallBuffer are
// free. It reports false if the rest is not left.
func (m *memoryBudget) hold(b *buffer, n int) bool {
	return n <= smallBuffer || m.take(b, n-smallBuffer)
}

// release returns a buffer's part of the budget.
func (m *memoryBudget) release(b *buffer) {
	if b.taken > 0 {
		m.mu.Lock()
		m.add(b, -b.taken)
		m.mu.Unlock()
	}
	b.client = netip.Addr{}
}

// drop returns a buffer and its part of the budget.
func (m *memoryBudget) drop(b *buffer) {
	m.release(b)
	b.request = nil
	if b.Cap() <= pooledBuffer {
		b.Reset()
		m.buffers.Put(b)
	}
}

// Growth bounds the answer of an operation while it is written.
type Growth = interface {
	// Grow is called with the size of an answer and the capacity that its buffer
	// gets next. An error ends the operation.
	Grow(size, capacity int) error
	// Hold takes memory for n bytes before they are read, and returns 0. If they do
	// not fit, it takes none and returns how many are too many. An error ends the
	// operation.
	Hold(n int64) (excess int64, err error)
}

// answerSize bounds the answer to a request, with all operations of a batch, while
// it is written.
type answerSize struct {
	budget *memoryBudget
	max    int

	mu sync.Mutex // guards what follows
	// buffer has the answer's part of the budget.
	buffer buffer
	size   int
	// held is how many bytes were read for the answer.
	held int64
	// failed is the error that ended the answer, or nil.
	failed *requestError
	// first is the growth of the first operation.
	first growing
}

// answerSize returns the size of an answer of at most so many bytes; release
// must follow.
func (m *memoryBudget) answerSize(r *http.Request, most int) *answerSize {
	a := m.sizes.Get().(*answerSize)
	a.budget, a.max, a.buffer.request = m, most, r
	return a
}

// operation returns the growth of one more operation.
func (a *answerSize) operation() *growing {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first.all == nil {
		a.first.all = a
		return &a.first
	}
	return &growing{all: a}
}

// free returns the answer's part of the budget, once the answer is in another
// buffer.
func (a *answerSize) free() { a.budget.release(&a.buffer) }

// release returns a size for reuse.
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

var _ Growth = (*growing)(nil)

// Grow implements [Growth].
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
		a.failed = failf(nft.QueryTooCostly, "the answer is too long: want at most %d bytes; ask for smaller pages or fewer fields", a.max)
		a.failed.errors[0].Extensions["maxAnswer"] = a.max
	case more > 0 && capacity > smallBuffer:
		g.held = capacity
		if !a.budget.take(&a.buffer, more) {
			a.failed = busy("too many large answers")
		}
	}
	if a.failed != nil {
		return nft.Errorf(nft.QueryTooCostly, "%s", a.failed.errors[0].Message)
	}
	return nil
}

// Hold implements [Growth]. A text is in memory twice, as read and in the answer,
// so texts may have half of the answer's bytes.
func (g *growing) Hold(n int64) (excess int64, err error) {
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	if excess = a.held + n - int64(a.max/2); excess > 0 && a.failed == nil {
		return excess, nil
	}
	if a.failed == nil && !a.budget.take(&a.buffer, int(n)) {
		a.failed = busy("too many large answers")
	}
	if a.failed != nil {
		return 0, nft.Errorf(nft.QueryTooCostly, "%s", a.failed.errors[0].Message)
	}
	a.held += n
	return 0, nil
}

// why returns the error that ended the answer, or nil.
func (a *answerSize) why() *requestError {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

// shownErrors is how many errors of an operation an answer has at most.
const shownErrors = 100

// fewErrors replaces the errors beyond shownErrors by one with their number.
func fewErrors(list gqlerror.List) gqlerror.List {
	if len(list) <= shownErrors {
		return list
	}
	more := failf(nft.QueryTooCostly, "%d more errors are left out", len(list)-shownErrors)
	return append(list[:shownErrors:shownErrors], more.errors...)
}
