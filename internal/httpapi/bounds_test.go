package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"mintburn/internal/fastql"
	"mintburn/internal/httpapi"
)

func TestLRU(t *testing.T) {
	l := httpapi.NewLRU(3, 100)
	for _, key := range []string{"a", "b", "c"} {
		l.Put(key, key, 10, "")
	}
	l.Get("a")
	l.Put("d", "d", 10, "")
	if got := l.Get("a") + l.Get("b") + l.Get("c") + l.Get("d"); got != "acd" {
		t.Errorf("kept %q, want acd: b was used longest ago", got)
	}
	l.Put("a", "other", 10, "")
	if got := l.Get("a"); got != "a" {
		t.Errorf("a is %q: the first value stays", got)
	}
	l.Put("heavy", "heavy", 85, "")
	if got := l.Get("heavy") + l.Get("a") + l.Get("c") + l.Get("d"); got != "heavya" {
		t.Errorf("kept %q, want heavy and a, which weigh 95", got)
	}
	l.Put("too heavy", "x", 101, "")
	if got := l.Get("too heavy") + l.Get("heavy"); got != "heavy" {
		t.Errorf("kept %q, want heavy alone", got)
	}
	l.Drop("heavy")
	l.Drop("heavy")
	l.Put("light", "light", 100, "")
	if got := l.Get("heavy") + l.Get("light"); got != "light" {
		t.Errorf("kept %q, want light, which has all the room", got)
	}
}

// TestLRU_Owners: the owner that has the most loses the value that it used
// longest ago.
func TestLRU_Owners(t *testing.T) {
	l := httpapi.NewLRU(5, 100)
	l.Put("a", "a", 1, one)
	l.Put("b", "b", 1, two)
	for _, key := range []string{"c", "d", "e", "f", "g"} {
		l.Put(key, key, 1, three)
		l.Get("c")
	}
	if got := l.Get("a") + l.Get("b") + l.Get("c") + l.Get("d") + l.Get("e") + l.Get("f") + l.Get("g"); got != "abcfg" {
		t.Errorf("kept %q by number, want abcfg", got)
	}
	// One more by number is one of three's, and one more by weight one of one's.
	l.Put("heavy", "heavy", 97, one)
	if got := l.Get("a") + l.Get("heavy") + l.Get("b") + l.Get("c") + l.Get("f") + l.Get("g"); got != "heavybfg" {
		t.Errorf("kept %q by weight, want heavybfg", got)
	}
}

// TestMemoryBudget: a client gets at most as much as it leaves.
func TestMemoryBudget(t *testing.T) {
	m := httpapi.NewMemoryBudget(120)
	drop, ok := m.Hold(one, 50)
	if _, fits := m.Hold(one, 11); !ok || fits || m.Used() != 50 {
		t.Errorf("50 of 120: %t, 11 more of the same client: %t, used %d", ok, fits, m.Used())
	}
	if _, fits := m.Hold(two, 36); fits {
		t.Error("36 of the 70 that are left")
	}
	if _, fits := m.Hold(two, 35); !fits || m.Used() != 85 {
		t.Errorf("35 of the 70 that are left: %t, used %d", fits, m.Used())
	}
	drop()
	if _, fits := m.Hold(three, 42); !fits || m.Used() != 77 {
		t.Errorf("42 of the 85 that are left: %t, used %d", fits, m.Used())
	}
	// The buffer that was dropped belongs to its new client.
	if _, fits := m.Hold(three, 2); fits {
		t.Error("2 more of the client with 42 of the 85")
	}
}

// TestAnswerSize: the operations of a request share a bound, and take memory as
// they grow.
func TestAnswerSize(t *testing.T) {
	const mib = 1 << 20
	m := httpapi.NewMemoryBudget(20 * mib)
	operation, release := m.AnswerSize(one, 5*mib)
	first, second := operation(), operation()
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
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) || m.Used() != int64(test.used) {
			t.Errorf("%d of %d bytes: %v, %d used, want %d, %q", test.size, test.capacity, err, m.Used(), test.used, test.refused)
		}
	}
	if release(); m.Used() != 0 {
		t.Errorf("%d bytes are still taken", m.Used())
	}
	// The next answer has all of its part again.
	for range 2 {
		operation, release = m.AnswerSize(one, 5*mib)
		if excess, err := operation().Hold(2 * mib); excess > 0 || err != nil {
			t.Errorf("texts of 2 MiB: %d bytes too many, error %v", excess, err)
		}
		if excess, err := operation().Hold(mib); excess != mib/2 || err != nil {
			t.Errorf("texts of 3 MiB: %d bytes too many, want those beyond half of the answer; error %v", excess, err)
		}
		release()
	}
	operation, release = m.AnswerSize(one, 100*mib)
	defer release()
	if err := operation().Grow(2*mib, 11*mib); err == nil || !strings.Contains(err.Error(), "too many large answers") {
		t.Errorf("more than half of the memory: %v", err)
	}
	if operation().Grow(1, 1) == nil {
		t.Error("an operation goes on after another has ended the answer")
	}
}

// TestDocuments_KeepsWhatIsAskedAgain: documents with values in them come once
// each; they must not put out those that come all the time.
func TestDocuments_KeepsWhatIsAskedAgain(t *testing.T) {
	r := newReading()
	read := func(text string) {
		if _, code, message := r.Read(text, nil); code != nil {
			t.Fatalf("%s: %s", text, message)
		}
	}
	once := func(i int) string { return fmt.Sprintf("{ mints(block: %d) { page } }", i) }
	for i := range 3_000 {
		read(once(i))
	}
	if n := r.Kept(); n > 0 {
		t.Errorf("%d documents are kept that came once", n)
	}
	for range 3 {
		read("{ burns { page } }")
	}
	if n := r.Kept(); n != 1 {
		t.Errorf("%d documents are kept of one that came three times", n)
	}
}
