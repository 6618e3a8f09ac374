package admit

import (
	"fmt"
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
	m := NewBudget(20*mib, &Clients{})
	size := m.AnswerSize(clientNumber(1), 5*mib)
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
		size = m.AnswerSize(clientNumber(1), 5*mib)
		if excess, err := size.Operation().Hold(2 * mib); excess > 0 || err != nil {
			t.Errorf("texts of 2 MiB: %d bytes too many, error %v", excess, err)
		}
		if excess, err := size.Operation().Hold(mib); excess != mib/2 || err != nil {
			t.Errorf("texts of 3 MiB: %d bytes too many, want those beyond half of the answer; error %v", excess, err)
		}
		size.Release()
	}
	size = m.AnswerSize(clientNumber(1), 100*mib)
	defer size.Release()
	if err := size.Operation().Grow(2*mib, 11*mib); err == nil || !strings.Contains(err.Error(), "too many large answers") {
		t.Errorf("more than half of the memory: %v", err)
	}
	if size.Operation().Grow(1, 1) == nil {
		t.Error("an operation continues after another has ended the answer")
	}
}

// TestLRU_Stats checks that look-ups are counted by result.
func TestLRU_Stats(t *testing.T) {
	l := NewCache[string](3, 100)
	l.Get("a")
	l.Put("a", "1", 10, clientNumber(1))
	l.Put("b", "2", 20, clientNumber(1))
	l.Get("a")
	l.Get("b")
	l.Get("b")
	l.Drop("b")
	if got, want := l.Stats(), (CacheStats{Hits: 3, Misses: 1, Entries: 1, Bytes: 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestLRU runs scripts. A client, a key and a weight put a value; a key alone gets it, and -
// drops it.
func TestLRU(t *testing.T) {
	for name, test := range map[string]struct {
		entries int
		script  string
		want    string
	}{
		"b was used longest ago":           {3, "1a10 1b10 1c10 a 1d10", "a10 c10 d10"},
		"the first value stays":            {3, "1a10 1a20 1b70", "a10 b70"},
		"by weight":                        {3, "1a10 1c10 1d10 a 1h85", "a10 h85"},
		"too heavy":                        {3, "1h85 1t101", "h85"},
		"dropped, all is left for another": {3, "1h85 -h -h 1l100", "l100"},
		"by number, of the largest owner":  {5, "1a1 2b1 3c1 c 3d1 c 3e1 c 3f1 c 3g1 c", "a1 b1 c1 f1 g1"},
		"one by number, and one by weight": {5, "1a1 2b1 3c1 3f1 3g1 1h97", "b1 f1 g1 h97"},
	} {
		l := NewCache[string](test.entries, 100)
		for step := range strings.FieldsSeq(test.script) {
			var client byte
			var weight int
			var key rune
			switch n, _ := fmt.Sscanf(step, "%d%c%d", &client, &key, &weight); {
			case n == 3:
				l.Put(string(key), fmt.Sprint(string(key), weight), weight, clientNumber(client))
			case step[0] == '-':
				l.Drop(step[1:])
			default:
				l.Get(step)
			}
		}
		var kept []string
		for key := 'a'; key <= 'z'; key++ {
			if value, ok := l.Get(string(key)); ok {
				kept = append(kept, value)
			}
		}
		if got := strings.Join(kept, " "); got != test.want {
			t.Errorf("%s: kept %s, want %s", name, got, test.want)
		}
	}
}
