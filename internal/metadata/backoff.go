package metadata

import (
	"sync"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// The time to the next try doubles with each failure in a row, within these bounds
// for temporary and for other failures.
const (
	minTemporary, maxTemporary = time.Minute, 24 * time.Hour
	minPermanent, maxPermanent = time.Hour, 7 * 24 * time.Hour
)

// backOff returns the time to the next try of a document that had failed
// attempts times before it failed again.
func (r *run) backOff(failure *Failure, attempts int) time.Duration {
	if failure.resting {
		return failure.After
	}
	least, most := minPermanent, maxPermanent
	if failure.Temporary {
		least, most = minTemporary, maxTemporary
	}
	return max(retrying.Spread(retrying.Doubled(least, most, attempts), r.Random()), failure.After)
}

const (
	// maxSlow is how many documents of a collection in a row may be slow before
	// it rests, for minRest at first and for longer each time.
	maxSlow          = 8
	minRest, maxRest = time.Minute, 30 * time.Minute
	// maxSlowContracts bounds how many collections are remembered to be slow.
	maxSlowContracts = 10_000
)

// slowness remembers slow collections, whose documents would occupy the slots of
// all others. When enough documents in a row took half of their time or more, the
// collection's other tokens fail at once for a while.
type slowness struct {
	mu         sync.Mutex // guards byContract and what is in it
	byContract map[evm.Address]*slow
}

type slow struct {
	// inRow counts the slow documents since the last that was not.
	inRow int
	until time.Time
}

// admit fails while a contract's collection rests.
func (s *slowness) admit(contract evm.Address, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.byContract[contract]; one != nil && now.Before(one.until) {
		failure := temporary("not tried: %d documents of this collection in a row were slow", one.inRow)
		failure.After, failure.resting = one.until.Sub(now), true
		return failure
	}
	return nil
}

// note notes whether a document of a contract's collection was slow.
func (s *slowness) note(contract evm.Address, now time.Time, isSlow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byContract[contract]
	switch {
	case !isSlow:
		delete(s.byContract, contract)
		return
	case one == nil && len(s.byContract) >= maxSlowContracts:
		return
	case one == nil:
		if s.byContract == nil {
			s.byContract = map[evm.Address]*slow{}
		}
		one = new(slow)
		s.byContract[contract] = one
	case now.Before(one.until):
		// It began before the rest did, and is counted already.
		return
	}
	if one.inRow++; one.inRow >= maxSlow {
		one.until = now.Add(retrying.Doubled(minRest, maxRest, one.inRow-maxSlow))
	}
}
