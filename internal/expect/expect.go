package expect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// NoError ends the test if err is an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal fails the test where got differs from want by [cmp.Diff], and shows 3,000 bytes
// of the difference at most. what names the two.
func Equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%.3000s", what, diff)
	}
}
