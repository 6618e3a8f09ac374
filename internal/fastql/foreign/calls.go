package foreign

import (
	"context"
	"fmt"
	"sync"
)

// Calls records the calls of an operation.
type Calls struct {
	mu   sync.Mutex // guards list
	list []string
	// Fail, if set, returns the error of a recorded call.
	Fail func(call string) error
}

// List returns the calls in order.
func (c *Calls) List() []string { return c.list }

type callsKey struct{}

// WithCalls returns a context in which calls are recorded.
func WithCalls(ctx context.Context, c *Calls) context.Context {
	return context.WithValue(ctx, callsKey{}, c)
}

// called records a call, and returns its error, if any.
func called(ctx context.Context, name string, on ...any) error {
	c, ok := ctx.Value(callsKey{}).(*Calls)
	if !ok {
		return nil
	}
	call := fmt.Sprint(name, on)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list = append(c.list, call); c.Fail == nil {
		return nil
	}
	return c.Fail(call)
}
