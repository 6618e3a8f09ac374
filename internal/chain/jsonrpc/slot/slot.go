package slot

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// The sizes of answers in bytes above which a read needs a slot, and how many reads have
// one at once. Parsed logs take up to four times the size of their JSON.
const (
	smallAnswer, largeReads = 2 << 20, 4
	largeAnswer             = 8 << 20 // one at once
)

// Slots bound the memory of the answers that a client reads at once.
type Slots struct {
	large, huge *semaphore.Weighted
	// most is the size of the largest buffer.
	most int64
	// unused are buffers of the two largest sizes that no answer refers to.
	unused [2]sync.Pool
}

// New returns the slots of a client whose answers have at most maxBody bytes.
func New(maxBody int64) *Slots {
	return &Slots{large: semaphore.NewWeighted(largeReads), huge: semaphore.NewWeighted(1), most: maxBody + 1}
}

// take returns an empty buffer.
func (s *Slots) take(size int64) []byte {
	if pool := s.pool(size); pool != nil {
		if buffer, ok := pool.Get().(*[]byte); ok {
			return (*buffer)[:0]
		}
	}
	return make([]byte, 0, size)
}

// put takes a buffer back.
func (s *Slots) put(buffer []byte) {
	if pool := s.pool(int64(cap(buffer))); pool != nil {
		pool.Put(&buffer)
	}
}

// pool returns the pool of buffers of a size, or nil.
func (s *Slots) pool(size int64) *sync.Pool {
	switch size {
	case largeAnswer:
		return &s.unused[0]
	case s.most:
		return &s.unused[1]
	}
	return nil
}

// Hold is the share of one read in the slots of its client. It keeps a slot until the
// answers are parsed, so a read that waits for the second slot can wait only for reads
// that have both.
type Hold struct {
	slots       *Slots
	large, huge bool
	// size is the number of bytes in the answers since forget.
	size int64
}

type holdKey struct{}

// Hold returns the share of a read that has no slot yet.
func (s *Slots) Hold() *Hold { return &Hold{slots: s} }

// Holding returns a context whose reads share a hold, which the caller releases once it has
// parsed the answers. Without it a slot is free as soon as the answer has arrived.
func (s *Slots) Holding(ctx context.Context) context.Context {
	return context.WithValue(ctx, holdKey{}, s.Hold())
}

// Of returns the hold of ctx, or nil.
func Of(ctx context.Context) *Hold {
	h, _ := ctx.Value(holdKey{}).(*Hold)
	return h
}

// acquire waits for the slots that an answer of this size needs. It returns ctx's error.
func (h *Hold) acquire(ctx context.Context, size int64) (err error) {
	if size > smallAnswer && !h.large {
		err = h.slots.large.Acquire(ctx, 1)
		h.large = err == nil
	}
	if size > largeAnswer && !h.huge && err == nil {
		err = h.slots.huge.Acquire(ctx, 1)
		h.huge = err == nil
	}
	return err
}

// Forget stops counting the answers so far, because their calls are done. h may be nil.
func (h *Hold) Forget() {
	if h != nil {
		h.size = 0
	}
}

// Release gives the slots back. h may be nil.
func (h *Hold) Release() {
	if h == nil {
		return
	}
	if h.huge {
		// The next huge answer must not add to what is left of this one. The collector
		// alone would wait until the heap has grown by a multiple.
		runtime.GC()
		h.slots.huge.Release(1)
	}
	if h.large {
		h.slots.large.Release(1)
	}
	h.large, h.huge, h.size = false, false, 0
}

// ErrTooLarge means that the answers of one read are larger than it allows.
var ErrTooLarge = errors.New("the answer is too large")

// Read reads a body of expected bytes, or of any number if that is negative. It fails
// with ErrTooLarge if the answers since forget have more than most bytes.
func (h *Hold) Read(ctx context.Context, body io.Reader, expected, most int64) ([]byte, error) {
	most -= h.size
	if expected > most {
		return nil, ErrTooLarge
	}
	// Most answers are small, and io.ReadAll allocates less for these.
	small := min(smallAnswer, most)
	answer, err := io.ReadAll(io.LimitReader(body, small+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(answer)) <= small:
		h.size += int64(len(answer))
		return answer, h.acquire(ctx, h.size)
	}
	answer = slices.Clip(answer)
	for {
		if len(answer) == cap(answer) {
			buffer, err := h.buffer(ctx, int64(len(answer)), expected, most)
			if err != nil {
				return nil, err
			}
			buffer = append(buffer, answer...)
			h.slots.put(answer)
			answer = buffer
		}
		n, err := body.Read(answer[len(answer):cap(answer)])
		answer = answer[:len(answer)+n]
		if int64(len(answer)) > most {
			err = ErrTooLarge
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			h.size += int64(len(answer))
			return answer, nil
		default:
			h.slots.put(answer)
			return nil, err
		}
	}
}

// buffer returns an empty buffer for more than have bytes of a large answer. It grows in
// steps, because the expected bytes may never come.
func (h *Hold) buffer(ctx context.Context, have, expected, most int64) ([]byte, error) {
	size := int64(largeAnswer)
	if have >= largeAnswer {
		size = most + 1
	}
	if expected >= have {
		// One byte more, to see the end.
		size = min(size, expected+1)
	}
	size = min(size, most+1)
	if err := h.acquire(ctx, h.size+size); err != nil {
		return nil, err
	}
	return h.slots.take(size), nil
}
