package store

import (
	"errors"
	"testing"
)

// TestOnceRead_Panic: a read that panicked has an error for later reads,
// and is not taken for an empty page.
func TestOnceRead_Panic(t *testing.T) {
	var r onceRead
	func() {
		defer func() { _ = recover() }()
		_ = r.once(func() error { panic("a bug") })
	}()
	read := func() error {
		t.Error("it was read again")
		return nil
	}
	if err := r.once(read); !errors.Is(err, errUnread) {
		t.Errorf("error %v, want errUnread", err)
	}
}
