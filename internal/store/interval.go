package store

import (
	"mintburn/internal/evm"
	"mintburn/internal/store/read"
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
type Interval = read.Interval

// The values of the GraphQL enum Interval.
const (
	Hour  = read.Hour
	Day   = read.Day
	Week  = read.Week
	Month = read.Month
)
