package page

import (
	"slices"
	"time"

	"mintburn/internal/evm"
)

// Bucket is an interval of time with the number of records that a filter selects in it.
type Bucket struct {
	// FromTime is the first second of the interval, ToTime the first one after it.
	FromTime, ToTime evm.Long
	// FromBlock and ToBlock are the first and the last block with a record; nil if there
	// are no records.
	FromBlock, ToBlock *evm.Long
	TotalItems         evm.Long
}

// Interval is the length of a bucket, in UTC.
type Interval string

// The values of the GraphQL enum Interval.
const (
	Hour  Interval = "HOUR"
	Day   Interval = "DAY"
	Week  Interval = "WEEK" // begins on Monday
	Month Interval = "MONTH"
)

// All are all intervals.
var All = [...]Interval{Hour, Day, Week, Month}

// Intervals is a set of intervals.
type Intervals uint8

// Add adds an interval to the set.
func (s *Intervals) Add(i Interval) { *s |= 1 << i.Place() }

// Place returns the index of i in [All].
func (i Interval) Place() int { return slices.Index(All[:], i) }

// Seconds of the intervals that have a constant length. The epoch was a Thursday.
const (
	hourSeconds = 3600
	daySeconds  = 24 * hourSeconds
	weekSeconds = 7 * daySeconds
	sinceMonday = 3 * daySeconds
)

// Number returns the number of the interval that contains a time. The interval of the epoch
// has the number 0.
func (i Interval) Number(t uint64) uint64 {
	switch i {
	case Hour:
		return t / hourSeconds
	case Day:
		return t / daySeconds
	case Week:
		return (t + sinceMonday) / weekSeconds
	default:
		at := time.Unix(int64(t), 0).UTC()
		return uint64(at.Year()-1970)*12 + uint64(at.Month()) - 1
	}
}

// Begin returns the first second of the interval with a number, clamped to the bounds of a
// Long: the first week begins before the epoch, and the last intervals end after the last
// time.
func (i Interval) Begin(n uint64) uint64 {
	begin := n * hourSeconds
	switch i {
	case Hour:
	case Day:
		begin = n * daySeconds
	case Week:
		begin = max(n*weekSeconds, sinceMonday) - sinceMonday
	default:
		begin = uint64(time.Date(1970, time.Month(n+1), 1, 0, 0, 0, 0, time.UTC).Unix())
	}
	return min(begin, uint64(evm.MaxLong))
}
