package expect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// NoError ends the test with a failure unless err is nil.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal fails the test if got differs from want according to [cmp.Diff]. It prints at most
// 3,000 bytes of the difference. what describes the compared values.
func Equal(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%.3000s", what, diff)
	}
}
