package state

import (
	"context"
	"errors"
	"time"

	"mintburn/internal/store/document"
	"mintburn/internal/store/write"
)

// Figures describe the state of the data.
type Figures struct {
	Head uint64
	Lag  time.Duration
	// Waiting is the number of tokens whose document is due, up to mostDue, and Failed that of
	// those whose last fetch failed.
	Waiting int
	Failed  int64
}

// FiguresOf reads the figures.
func FiguresOf(ctx context.Context, s *write.DB, now time.Time) (f Figures, err error) {
	snapshot := s.Snapshot()
	defer func() { err = errors.Join(err, snapshot.Close()) }()
	chain, err := snapshot.Chain(ctx)
	if err != nil {
		return f, err
	}
	if chain.Head != nil {
		f.Head, f.Lag = chain.Head.Number, Age(chain.Head, now).Round(time.Second)
	}
	if f.Waiting, err = document.Due(ctx, snapshot, now, mostDue); err == nil {
		f.Failed, err = document.FailedDocuments(ctx, snapshot)
	}
	return f, err
}
