package fastql

import (
	"context"
	"errors"
)

// Growth bounds the answer of an operation.
type Growth = interface {
	// Grow is called regularly while an answer is written, and at its end, with its
	// size and the next capacity of its buffer. An error ends the operation.
	Grow(size, capacity int) error
}

type growthKey struct{}

// WithGrowth returns a context whose operation's answer g bounds.
func WithGrowth(ctx context.Context, g Growth) context.Context {
	return context.WithValue(ctx, growthKey{}, g)
}

// GrowthOf returns the growth of the operation of a context, or nil.
func GrowthOf(ctx context.Context) Growth {
	g, _ := ctx.Value(growthKey{}).(Growth)
	return g
}

// stopped is an error that ends an operation while its answer is written.
type stopped struct{ err error }

func (s stopped) Error() string { return s.err.Error() }
func (s stopped) Unwrap() error { return s.err }

// isStopped reports whether an error ends an operation.
func isStopped(err error) bool {
	var s stopped
	return errors.As(err, &s)
}

// growthStep is how many bytes may be written between two calls of
// [Growth.Grow]; the longest value comes on top.
const growthStep = 32 << 10

// grown checks the answer in b, and gives it room for another step.
func grown(ctx context.Context, b []byte) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, stopped{err}
	}
	capacity := cap(b)
	if capacity-len(b) < 2*growthStep {
		// Doubling copies less than append, which adds a quarter at this size.
		capacity = max(2*capacity, len(b)+2*growthStep)
	}
	if err := checkGrowth(ctx, len(b), capacity); err != nil {
		return nil, err
	}
	if capacity > cap(b) {
		b = append(make([]byte, 0, capacity), b...)
	}
	return b, nil
}

// reserve gives b room for n more bytes, and for another step after them.
func reserve(b []byte, n int) []byte {
	if cap(b)-len(b) >= n {
		return b
	}
	// With room for more than a step, [grown] does not double it again.
	return append(make([]byte, 0, max(2*cap(b), len(b)+n+3*growthStep)), b...)
}

// checkGrowth calls the growth of an operation.
func checkGrowth(ctx context.Context, size, capacity int) error {
	if g := GrowthOf(ctx); g != nil {
		if err := g.Grow(size, capacity); err != nil {
			return stopped{err}
		}
	}
	return nil
}

// boundedWriter collects an answer. After an error it drops everything, because
// marshalers ignore the error.
type boundedWriter struct {
	ctx     context.Context
	b       []byte
	checked int
	err     error
}

// Write implements [io.Writer].
func (w *boundedWriter) Write(p []byte) (int, error) {
	w.append(p)
	return len(p), w.err
}

// append appends p, a step at a time.
func (w *boundedWriter) append(p []byte) {
	for len(p) > 0 && w.err == nil {
		n := min(len(p), growthStep)
		if w.b, p = append(w.b, p[:n]...), p[n:]; len(w.b)-w.checked < growthStep {
			continue
		}
		if w.b, w.err = grown(w.ctx, w.b); w.err == nil {
			w.checked = len(w.b)
		}
	}
}
