package httpapi

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// batchWidth is how many operations of one batch run at once, so that one
// batch leaves places for others.
const batchWidth = 4

// answerAll answers the operations of a batch, in their order. Nothing runs
// unless all of it together can be paid for; what is wrong with one operation
// is its own matter.
func (e *endpoint) answerAll(ctx context.Context, list []request) []outcome {
	done := make([]outcome, len(list))
	operations := make([]operation, len(list))
	cost := 0
	for i := range list {
		done[i] = e.prepareOne(ctx, &list[i], &operations[i])
		cost = plus(cost, operations[i].cost)
	}
	tooCostly := e.affordable(cost)
	var running errgroup.Group
	running.SetLimit(batchWidth)
	for i := range operations {
		switch {
		case done[i].refused != nil:
		case tooCostly != nil:
			done[i].refused = tooCostly
		default:
			running.Go(func() error {
				done[i] = e.runOne(ctx, operations[i])
				return nil
			})
		}
	}
	// None of them returns an error.
	_ = running.Wait()
	return done
}

// prepareOne prepares an operation of a batch in a place of its own.
func (e *endpoint) prepareOne(ctx context.Context, r *request, o *operation) (done outcome) {
	defer e.catch(ctx, &done)
	if done.refused = e.gate.enter(ctx); done.refused != nil {
		return done
	}
	defer e.gate.leave()
	*o, done.refused = e.prepare(r)
	return done
}

// runOne runs an operation of a batch in a place of its own.
func (e *endpoint) runOne(ctx context.Context, o operation) (done outcome) {
	defer e.catch(ctx, &done)
	if done.refused = e.gate.enter(ctx); done.refused != nil {
		return done
	}
	defer e.gate.leave()
	return e.run(ctx, o)
}
