package metadata

import (
	"maps"
	"sync"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/retrying"
)

// The delay before the next attempt doubles with each consecutive failure, within these
// bounds for temporary and permanent failures. A document that may not be there yet begins
// like the former and ends like the latter: after a day its delay is most of a day.
const (
	minTemporary, maxTemporary = time.Minute, 24 * time.Hour
	minPermanent, maxPermanent = time.Hour, 7 * 24 * time.Hour
)

// backOff returns the delay before the next attempt for a document that had failed
// attempts times before this failure.
func (r *run) backOff(failure *Failure, attempts int) time.Duration {
	if failure.skipped {
		return failure.After
	}
	least, most := minPermanent, maxPermanent
	switch {
	case failure.Temporary:
		least, most = minTemporary, maxTemporary
	case failure.absent:
		least = minTemporary
	}
	return max(retrying.Jitter(retrying.Backoff(least, most, attempts), r.Random()), failure.After)
}

const (
	// After maxSlow consecutive slow documents, a collection is skipped for minRest.
	// The time doubles with each further slow document, up to maxRest.
	maxSlow          = 8
	minRest, maxRest = time.Minute, 30 * time.Minute
	// maxSlowContracts bounds the number of slow collections that are tracked. Above it, those
	// that are not skipped at the moment are forgotten.
	maxSlowContracts = 10_000
)

// slowness tracks slow collections, whose documents would otherwise occupy all slots. After
// maxSlow consecutive documents that took at least half of the timeout, the collection's
// other tokens fail immediately for a while.
type slowness struct {
	mu         sync.Mutex // guards byContract and its values
	byContract map[evm.Address]*slow
}

type slow struct {
	// inRow counts the consecutive slow documents.
	inRow int
	// until is the time up to which the collection is skipped.
	until time.Time
}

// admit returns a failure while a contract's collection is skipped.
func (s *slowness) admit(contract evm.Address, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.byContract[contract]; one != nil && now.Before(one.until) {
		failure := temporary("not tried: the last %d documents of this collection were slow", one.inRow)
		failure.After, failure.skipped = one.until.Sub(now), true
		return failure
	}
	return nil
}

// note records whether a document of a contract's collection was slow.
func (s *slowness) note(contract evm.Address, now time.Time, isSlow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.byContract[contract]
	switch {
	case !isSlow:
		delete(s.byContract, contract)
		return
	case one == nil:
		if len(s.byContract) >= maxSlowContracts {
			maps.DeleteFunc(s.byContract, func(_ evm.Address, other *slow) bool { return !now.Before(other.until) })
		}
		if len(s.byContract) >= maxSlowContracts {
			return
		}
		if s.byContract == nil {
			s.byContract = map[evm.Address]*slow{}
		}
		one = new(slow)
		s.byContract[contract] = one
	case now.Before(one.until):
		// The request began before the collection was skipped. Do not extend the time.
		return
	}
	if one.inRow++; one.inRow >= maxSlow {
		one.until = now.Add(retrying.Backoff(minRest, maxRest, one.inRow-maxSlow))
	}
}
