package admit

import (
	"fmt"
	"strings"
	"testing"
)

// TestLRU_Stats checks that look-ups are counted by result, and expired values as misses.
func TestLRU_Stats(t *testing.T) {
	l := NewCache[string](3, 100)
	l.Get("a")
	l.Put("a", "1", 10, clientNumber(1))
	l.Put("b", "2", 20, clientNumber(1))
	l.Get("a")
	l.Get("b")
	l.Get("b")
	l.Expire("b")
	if got, want := l.Stats(), (CacheStats{Hits: 2, Misses: 2, Entries: 1, Bytes: 10}); got != want {
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
