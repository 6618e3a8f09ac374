package store_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs four tests in parallel, whatever the number of processors, because the
// lease tests mostly wait; -parallel overrides that.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
