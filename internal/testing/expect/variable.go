package expect

import (
	"os"
	"strconv"
	"testing"
)

// Variable returns the number in an environment variable, or usual if the variable is not
// set. It ends the test with a failure if the value is not a number.
func Variable(t testing.TB, name string, usual uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
