package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"mintburn/internal/fastql"
)

// TestMemoryBudget checks that a client gets at most as much as remains after it.
func TestMemoryBudget(t *testing.T) {
	m := newMemoryBudget(120, &clients{})
	hold := func(client byte, n int) (b *buffer, ok bool) {
		b = m.buffer(&http.Request{RemoteAddr: clientNumber(client).String()})
		return b, m.take(b, n)
	}
	first, _ := hold(1, 50)
	for _, test := range []struct {
		client  byte
		n       int
		fits    bool
		used    int64
		dropped *buffer
	}{
		{1, 11, false, 50, nil},
		{2, 36, false, 50, nil}, // of the 70 that are left
		{2, 35, true, 85, nil},
		{3, 42, true, 77, first}, // of the 85 that are left
		// The dropped buffer belongs to its new client.
		{3, 2, false, 77, nil},
	} {
		if test.dropped != nil {
			m.drop(test.dropped)
		}
		if _, fits := hold(test.client, test.n); fits != test.fits || m.inUse() != test.used {
			t.Errorf("%d for client %d: %t, %d used, want %t, %d", test.n, test.client, fits, m.inUse(), test.fits, test.used)
		}
	}
}

// TestAnswerSize checks that the operations of a request share one bound, and reserve memory
// as they grow.
func TestAnswerSize(t *testing.T) {
	const mib = 1 << 20
	m, client := newMemoryBudget(20*mib, &clients{}), &http.Request{RemoteAddr: clientNumber(1).String()}
	size := m.answerSize(client, 5*mib)
	first, second := size.operation(), size.operation()
	for _, test := range []struct {
		g                    fastql.Growth
		size, capacity, used int
		refused              string
	}{
		{first, 40_000, mib, 40_000, ""},
		{first, mib, 2 * mib, 2 * mib, ""},
		{second, 2 * mib, 4 * mib, 6 * mib, ""},
		{second, 4 * mib, 4 * mib, 6 * mib, ""},
		{first, mib + 1, 2 * mib, 6 * mib, "the answer is too long: want at most 5242880 bytes"},
		{second, 4 * mib, 4 * mib, 6 * mib, "the answer is too long"},
	} {
		err := test.g.Grow(test.size, test.capacity)
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) || m.inUse() != int64(test.used) {
			t.Errorf("%d of %d bytes: %v, %d used, want %d, %q", test.size, test.capacity, err, m.inUse(), test.used, test.refused)
		}
	}
	if size.release(); m.inUse() != 0 {
		t.Errorf("%d bytes are still taken", m.inUse())
	}
	// The next answer gets its whole share again.
	for range 2 {
		size = m.answerSize(client, 5*mib)
		if excess, err := size.operation().Hold(2 * mib); excess > 0 || err != nil {
			t.Errorf("texts of 2 MiB: %d bytes too many, error %v", excess, err)
		}
		if excess, err := size.operation().Hold(mib); excess != mib/2 || err != nil {
			t.Errorf("texts of 3 MiB: %d bytes too many, want those beyond half of the answer; error %v", excess, err)
		}
		size.release()
	}
	size = m.answerSize(client, 100*mib)
	defer size.release()
	if err := size.operation().Grow(2*mib, 11*mib); err == nil || !strings.Contains(err.Error(), "too many large answers") {
		t.Errorf("more than half of the memory: %v", err)
	}
	if size.operation().Grow(1, 1) == nil {
		t.Error("an operation continues after another has ended the answer")
	}
}
