package admit

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"sync"
)

const (
	// SmallBuffer is the largest buffer, in bytes, outside the memory budget.
	SmallBuffer = 16 << 10
	// PooledBuffer is the largest capacity, in bytes, of a buffer that is reused.
	PooledBuffer = 1 << 20
)

// Budget is the memory for large bodies and answers of all requests. A client may take
// as much as remains after it: a single client gets half, two get a third each, and some
// always remains for the next. It is safe for concurrent use.
type Budget struct {
	// Size is the whole budget in bytes. It does not change.
	Size    int64
	clients *Clients
	// buffers and sizes pool values for reuse.
	buffers, sizes sync.Pool

	mu sync.Mutex // guards the fields below
	// used is the sum of byClient.
	used     int64
	byClient map[netip.Addr]int64
}

// NewBudget returns a budget of size bytes for the requests of the known clients.
func NewBudget(size int64, known *Clients) *Budget {
	return &Budget{
		Size: size, clients: known, byClient: map[netip.Addr]int64{},
		buffers: sync.Pool{New: func() any { return &Buffer{} }},
		sizes:   sync.Pool{New: func() any { return &AnswerSize{} }},
	}
}

// Buffer holds one body or one answer. The zero value holds one outside of every budget.
type Buffer struct {
	bytes.Buffer
	// request is the request of the body or the answer. Without one, owner is its client.
	request *http.Request
	owner   netip.Addr
	// taken is the reserved part of the budget in bytes, and client its owner.
	taken  int64
	client netip.Addr
}

// Buffer returns an empty buffer for a request. The caller must call [Budget.Drop].
func (m *Budget) Buffer(r *http.Request) *Buffer {
	b := m.buffers.Get().(*Buffer)
	b.request = r
	return b
}

// Take reserves n more bytes for a buffer. It returns false, and reserves nothing, if the budget
// does not have them for the buffer's client.
func (m *Budget) Take(b *Buffer, n int) bool {
	if !b.client.IsValid() {
		if b.client = b.owner; b.request != nil {
			b.client = m.clients.Of(b.request)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byClient[b.client]+int64(n) > m.Size-m.used-int64(n) {
		return false
	}
	m.add(b, int64(n))
	return true
}

// add changes a buffer's reservation by n bytes. The caller must hold mu.
func (m *Budget) add(b *Buffer, n int64) {
	b.taken += n
	m.used += n
	if m.byClient[b.client] += n; m.byClient[b.client] == 0 {
		delete(m.byClient, b.client)
	}
}

// Fill reads r to its end into a buffer. It reserves memory for the bytes that arrive; full
// reports that the budget had none left.
func (m *Budget) Fill(b *Buffer, r io.Reader) (full bool, err error) {
	for {
		switch _, err := io.CopyN(&b.Buffer, r, SmallBuffer); {
		case errors.Is(err, io.EOF):
			return false, nil
		case err != nil:
			return false, err
		case !m.Take(b, SmallBuffer):
			return true, nil
		}
	}
}

// Hold reserves the memory for a body of n bytes, of which the first SmallBuffer are free. It
// returns false if the budget does not have the rest.
func (m *Budget) Hold(b *Buffer, n int) bool {
	return n <= SmallBuffer || m.Take(b, n-SmallBuffer)
}

// Release returns a buffer's reservation to the budget.
func (m *Budget) Release(b *Buffer) {
	if b.taken > 0 {
		m.mu.Lock()
		m.add(b, -b.taken)
		m.mu.Unlock()
	}
	b.client = netip.Addr{}
}

// Drop returns a buffer to the pool and its reservation to the budget. The buffer must not be
// used any more.
func (m *Budget) Drop(b *Buffer) {
	m.Release(b)
	b.request = nil
	if b.Cap() <= PooledBuffer {
		b.Reset()
		m.buffers.Put(b)
	}
}

// InUse returns the reserved part of the budget, in bytes.
func (m *Budget) InUse() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}
