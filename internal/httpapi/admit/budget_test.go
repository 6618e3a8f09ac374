package admit

import (
	"net/http"
	"strings"
	"testing"

	"mintburn/internal/fastql"
)

// TestMemoryBudget checks that a client gets at most as much as remains after it.
func TestMemoryBudget(t *testing.T) {
	m := NewBudget(120, &Clients{})
	hold := func(client byte, n int) (b *Buffer, ok bool) {
		b = m.Buffer(&http.Request{RemoteAddr: clientNumber(client).String()})
		return b, m.Take(b, n)
	}
	first, _ := hold(1, 50)
	for _, test := range []struct {
		client  byte
		n       int
		fits    bool
		used    int64
		dropped *Buffer
	}{
		{1, 11, false, 50, nil},
		{2, 36, false, 50, nil}, // of the 70 that are left
		{2, 35, true, 85, nil},
		{3, 42, true, 77, first}, // of the 85 that are left
		// The dropped buffer belongs to its new client.
		{3, 2, false, 77, nil},
	} {
		if test.dropped != nil {
			m.Drop(test.dropped)
		}
		if _, fits := hold(test.client, test.n); fits != test.fits || m.InUse() != test.used {
			t.Errorf("%d for client %d: %t, %d used, want %t, %d", test.n, test.client, fits, m.InUse(), test.fits, test.used)
		}
	}
}

// TestAnswerSize checks that the operations of a request share one bound, and reserve memory
// as they grow.
func TestAnswerSize(t *testing.T) {
	const mib = 1 << 20
	m, client := NewBudget(20*mib, &Clients{}), &http.Request{RemoteAddr: clientNumber(1).String()}
	size := m.AnswerSize(client, 5*mib)
	first, second := size.Operation(), size.Operation()
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
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) || m.InUse() != int64(test.used) {
			t.Errorf("%d of %d bytes: %v, %d used, want %d, %q", test.size, test.capacity, err, m.InUse(), test.used, test.refused)
		}
	}
	if size.Release(); m.InUse() != 0 {
		t.Errorf("%d bytes are still taken", m.InUse())
	}
	// The next answer gets its whole share again.
	for range 2 {
		size = m.AnswerSize(client, 5*mib)
		if excess, err := size.Operation().Hold(2 * mib); excess > 0 || err != nil {
			t.Errorf("texts of 2 MiB: %d bytes too many, error %v", excess, err)
		}
		if excess, err := size.Operation().Hold(mib); excess != mib/2 || err != nil {
			t.Errorf("texts of 3 MiB: %d bytes too many, want those beyond half of the answer; error %v", excess, err)
		}
		size.Release()
	}
	size = m.AnswerSize(client, 100*mib)
	defer size.Release()
	if err := size.Operation().Grow(2*mib, 11*mib); err == nil || !strings.Contains(err.Error(), "too many large answers") {
		t.Errorf("more than half of the memory: %v", err)
	}
	if size.Operation().Grow(1, 1) == nil {
		t.Error("an operation continues after another has ended the answer")
	}
}
