package apierror

// MaxValues is the maximum number of values in a filter list, including repeated ones.
const MaxValues = 100

// MaxBuckets is the maximum number of time buckets in an answer, times the values of a list.
// Of a range of times with both ends it is MaxTimedBuckets, because their number is known
// before anything is read.
const (
	MaxBuckets      = 1000
	MaxTimedBuckets = 10_000
)

// MaxTraitValues is the maximum number of values in an answer of each trait, DefaultTraitValues
// their number if none is given.
const (
	MaxTraitValues     = 1000
	DefaultTraitValues = 100
)

// MaxTraitFilters is the maximum number of filters by traits, MaxFilterValues that of their
// values together, and MaxTraitEntries that of the tokens of the shortest filter, if there are
// several or if the tokens of several values are totalled.
const (
	MaxTraitFilters = 5
	MaxFilterValues = 20
	MaxTraitEntries = 100_000
)

// TooManyValues returns the error for an argument that is a list of n values.
func TooManyValues(argument string, n int) *Error {
	return Errorf(BadUserInput, "%s: got %d values, want at most %d", argument, n, MaxValues)
}

// TooManyBuckets returns the error for n buckets of a list with the given number of values.
func TooManyBuckets(n, values, most uint64) *Error {
	if values == 1 {
		return Errorf(BadUserInput, "buckets: it would be %d: want at most %d: a shorter range of times or a longer interval", n, most)
	}
	return Errorf(BadUserInput, "buckets: it would be %d for each of %d values: want at most %d: a shorter range of times, a longer interval or a shorter list", n, values, most/values)
}

// MaxScanned is the maximum number of records and documents that a batch of changes reads for a
// filter that leaves some out.
const MaxScanned = 4096

// MaxSearchTotal is the largest total of a search for collections.
const MaxSearchTotal = 10_000

// DefaultChanges is the number of changes in a batch if none is given, and the maximum in a batch
// that is pushed.
const DefaultChanges = 100

// MaxProofs is the maximum number of blocks that an operation proves, MaxBatchProofs that of a batch of a
// subscription.
const (
	MaxProofs      = 20
	MaxBatchProofs = 4
)
