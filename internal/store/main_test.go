package store_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain has more tests run at once than there are processors, because those of the
// lease wait; -parallel overrides that.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
