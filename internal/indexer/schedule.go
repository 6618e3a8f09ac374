package indexer

import "time"

// The longest and the shortest time between two reads of the head where [Loop.Poll] is 0.
const (
	MaxPoll = 2 * time.Second
	minPoll = 50 * time.Millisecond
)

// schedule chooses the time between two reads of the head. The first read for a block comes
// shortly before the block is expected, the next ones at short intervals until it appears, and
// at growing intervals if it is late. It uses the times at which heads were seen, not those in
// blocks, because the clocks of nodes differ from ours.
type schedule struct {
	// head is the highest head so far, and seen the time when it was read first.
	head uint64
	seen time.Time
	// pushed reports that a push announced head, and none came since that was ahead of the node
	// that is polled.
	pushed bool
	// period is the estimated time between two blocks, 0 before the second head.
	period time.Duration
	// least is the shortest wait. It grows while nodes refuse calls.
	least time.Duration
}

// saw records the number of the chain's head.
func (s *schedule) saw(head uint64, now time.Time, pushed bool) {
	if !s.seen.IsZero() {
		if head <= s.head {
			s.pushed = s.pushed && !pushed
			return
		}
		sample := now.Sub(s.seen) / time.Duration(head-s.head)
		if s.period == 0 {
			s.period = sample
		}
		// A chain that stood still must not count as slow for long.
		s.period += (min(sample, 4*s.period) - s.period) / 4
	}
	s.head, s.seen, s.pushed = head, now, pushed
	s.least = max(minPoll, s.least-s.least/16)
}

// refused makes the waits longer, because a node refused a call. The next heads make them
// shorter again.
func (s *schedule) refused() { s.least = min(2*s.least, MaxPoll) }

// wait returns the time until the next read of the head.
func (s *schedule) wait(now time.Time) time.Duration {
	if s.pushed || s.period == 0 {
		return MaxPoll
	}
	step := max(min(s.period/8, MaxPoll/2), s.least)
	due := s.seen.Add(s.period - step)
	return min(max(due.Sub(now), now.Sub(due)/4, step), MaxPoll)
}
