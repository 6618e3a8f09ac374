package httpapi

import (
	"context"
	"sync/atomic"
	"time"
)

// gate lets a bounded number of operations run at once, and a bounded number
// wait for their turn.
type gate struct {
	places  chan struct{}
	waiting atomic.Int64
	// patience is how long an operation may wait.
	patience time.Duration
}

func newGate(places int, patience time.Duration) *gate {
	return &gate{places: make(chan struct{}, places), patience: patience}
}

// enter waits for a place. Unless it refuses, leave must follow.
func (g *gate) enter(ctx context.Context) *refusal {
	select {
	case g.places <- struct{}{}:
		return nil
	default:
	}
	if g.waiting.Add(1) > int64(cap(g.places)*waitingFor) {
		g.waiting.Add(-1)
		return busy("too many operations wait")
	}
	defer g.waiting.Add(-1)
	wait := time.NewTimer(g.patience)
	defer wait.Stop()
	select {
	case g.places <- struct{}{}:
		return nil
	case <-wait.C:
	case <-ctx.Done():
	}
	return busy("too many operations run")
}

// leave gives the place to the next.
func (g *gate) leave() { <-g.places }
