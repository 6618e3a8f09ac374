package indexer

import (
	"context"
	"iter"

	"mintburn/internal/retrying"
)

// inOrder calls next for jobs until it returns nil, runs each job in a goroutine, and
// yields the results in the order of the jobs. Besides the job whose result is yielded
// next, at most ahead jobs run or have finished. A panic in a job is an error. When ctx
// or the loop ends, so do the jobs' context and all goroutines.
func inOrder[T any](ctx context.Context, ahead int, next func() func(context.Context) (T, error)) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		// Each result has its own channel, and the channels are in order.
		results := make(chan chan result, ahead)
		go func() {
			defer close(results)
			for ctx.Err() == nil {
				answer := make(chan result, 1)
				select {
				case results <- answer:
				case <-ctx.Done():
					return
				}
				job := next()
				if job == nil {
					close(answer)
					return
				}
				go func() {
					var got result
					got.err = retrying.Catch(func() (err error) {
						got.value, err = job(ctx)
						return err
					})
					answer <- got
				}()
			}
		}()
		defer func() {
			stop()
			for answer := range results {
				<-answer
			}
		}()
		for answer := range results {
			if got, ok := <-answer; !ok || !yield(got.value, got.err) {
				return
			}
		}
	}
}
