package httpapi

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// smallBuffer is the size in bytes up to which a buffer needs no room;
// pooledBuffer is the capacity up to which it is used again.
const smallBuffer, pooledBuffer = 16 << 10, 1 << 20

// room is memory for large bodies and answers, shared by all requests, so that
// slow clients can not make the server hold more than that.
type room struct {
	size    int64
	used    atomic.Int64
	buffers sync.Pool
}

func newRoom(size int64) *room {
	return &room{size: size, buffers: sync.Pool{New: func() any { return &buffer{} }}}
}

// buffer is the memory of one body or one answer.
type buffer struct {
	bytes.Buffer
	// taken is how many bytes of the room it has.
	taken int
}

// buffer returns an empty buffer; drop must follow.
func (r *room) buffer() *buffer { return r.buffers.Get().(*buffer) }

// take lets a buffer hold n bytes more than before, or reports that there is
// no room for them.
func (r *room) take(b *buffer, n int) bool {
	if r.used.Add(int64(n)) > r.size {
		r.used.Add(-int64(n))
		return false
	}
	b.taken += n
	return true
}

// hold lets a buffer hold a body of n bytes, of which the first ones need no
// room, or reports that there is none for the rest.
func (r *room) hold(b *buffer, n int) bool {
	return n <= smallBuffer || r.take(b, n-smallBuffer)
}

// drop gives back a buffer and what it took.
func (r *room) drop(b *buffer) {
	r.used.Add(-int64(b.taken))
	b.taken = 0
	if b.Cap() <= pooledBuffer {
		b.Reset()
		r.buffers.Put(b)
	}
}
