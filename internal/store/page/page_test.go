package page

import (
	"errors"
	"testing"
)

// TestOnce_Panic checks that later reads return an error if the first read panicked, and
// not an empty page.
func TestOnce_Panic(t *testing.T) {
	var o Once[int]
	func() {
		defer func() { _ = recover() }()
		_, _ = o.Get(func() (int, error) { panic("a bug") })
	}()
	read := func() (int, error) {
		t.Error("it was read again")
		return 0, nil
	}
	if _, err := o.Get(read); !errors.Is(err, errUnread) {
		t.Errorf("error %v, want errUnread", err)
	}
}
