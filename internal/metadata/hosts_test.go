package metadata

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mintburn/internal/retrying"
	"mintburn/internal/testing/expect"
)

// TestHosts_Shed removes callers that wait for a host: those that come later do not make up for
// them, and each comes back a request's time after the one before.
func TestHosts_Shed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &hosts{o: FetcherOptions{PerHost: 1, Clock: retrying.Clock{Now: time.Now}}.withDefaults(), byName: map[string]*host{}}
		_, err := h.join(t.Context(), "a.example", 0)
		expect.NoError(t, err)
		results := make(chan error, 10)
		join := func(due int64) {
			go func() {
				_, err := h.join(t.Context(), "a.example", due)
				results <- err
			}()
			synctest.Wait()
		}
		// removed returns when the removed caller may come back.
		removed := func() time.Duration {
			t.Helper()
			synctest.Wait()
			select {
			case err := <-results:
				failure, busy := errors.AsType[*Failure](err)
				if !busy || !failure.busy {
					t.Fatalf("error %v", err)
				}
				return failure.After
			default:
				t.Fatal("no caller was removed")
				return 0
			}
		}
		for due := range int64(3) {
			join(due)
		}
		h.shed(1)
		expect.Equal(t, "the last of three", 3*time.Second, removed())
		join(0)
		expect.Equal(t, "the last, because another came", 4*time.Second, removed())
		join(0)
		expect.Equal(t, "once more", 5*time.Second, removed())
		h.rest("a.example", time.Hour) // keeps what is known of the host
		for range 3 {
			h.part("a.example", h.byName["a.example"])
		}
		// Nobody waits, so that any number may wait again.
		_, err = h.join(t.Context(), "a.example", 0)
		expect.NoError(t, err)
		for range 3 {
			join(0)
		}
		for len(results) > 0 {
			expect.NoError(t, <-results)
		}
		expect.Equal(t, "waiting", 3, len(h.byName["a.example"].waiting))
		for range 4 {
			h.part("a.example", h.byName["a.example"])
		}
	})
}
