package console

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 mints", 1: "1 mint", 2: "2 mints"} {
		if got := Count(n, "mint"); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
