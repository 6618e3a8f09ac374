package httpapi

import (
	"bytes"
	"net/http"
	"net/netip"
	"sync"
)

// smallBuffer is the largest buffer, in bytes, outside the memory budget. pooledBuffer is the
// largest capacity, in bytes, of a buffer that is reused.
const smallBuffer, pooledBuffer = 16 << 10, 1 << 20

// memoryBudget is the memory for large bodies and answers of all requests. A client may take
// as much as remains after it: a single client gets half, two get a third each, and some
// always remains for the next.
type memoryBudget struct {
	size    int64
	clients *clients
	// buffers and sizes pool values for reuse.
	buffers, sizes sync.Pool

	mu sync.Mutex // guards the fields below
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
	// taken is the reserved part of the budget in bytes, and client its owner.
	taken  int64
	client netip.Addr
}

// buffer returns an empty buffer for a request. The caller must call drop.
func (m *memoryBudget) buffer(r *http.Request) *buffer {
	b := m.buffers.Get().(*buffer)
	b.request = r
	return b
}

// take reserves n more bytes for a buffer. It returns false if the budget does not have them.
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

// add changes a buffer's reservation by n bytes. The caller must hold mu.
func (m *memoryBudget) add(b *buffer, n int64) {
	b.taken += n
	m.used += n
	if m.byClient[b.client] += n; m.byClient[b.client] == 0 {
		delete(m.byClient, b.client)
	}
}

// hold reserves the memory for a body of n bytes, of which the first smallBuffer are free. It
// returns false if the budget does not have the rest.
func (m *memoryBudget) hold(b *buffer, n int) bool {
	return n <= smallBuffer || m.take(b, n-smallBuffer)
}

// release returns a buffer's reservation to the budget.
func (m *memoryBudget) release(b *buffer) {
	if b.taken > 0 {
		m.mu.Lock()
		m.add(b, -b.taken)
		m.mu.Unlock()
	}
	b.client = netip.Addr{}
}

// drop returns a buffer to the pool and its reservation to the budget.
func (m *memoryBudget) drop(b *buffer) {
	m.release(b)
	b.request = nil
	if b.Cap() <= pooledBuffer {
		b.Reset()
		m.buffers.Put(b)
	}
}

// inUse returns the reserved part of the budget, in bytes.
func (m *memoryBudget) inUse() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}
