package indexer

import "time"

// LeastWait returns the shortest time until the next read of the head. f must not run.
func (f *Follower) LeastWait() time.Duration { return f.schedule.least }
