package nft

// MaxValues is how many values a list of filters may have, repeated ones included.
const MaxValues = 100

// MaxBuckets is how many buckets of time an answer may have, times the values of a list.
const MaxBuckets = 1000

// TooManyValues returns the error of a list of n values, which is an argument.
func TooManyValues(argument string, n int) *Error {
	return Errorf(BadUserInput, "%s: got %d values, want at most %d", argument, n, MaxValues)
}
