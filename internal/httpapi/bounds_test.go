package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/httpapi"
)

func TestLRU(t *testing.T) {
	l := httpapi.NewLRU(3, 100)
	for _, key := range []string{"a", "b", "c"} {
		l.Put(key, key, 10)
	}
	l.Get("a")
	l.Put("d", "d", 10)
	if got := l.Get("a") + l.Get("b") + l.Get("c") + l.Get("d"); got != "acd" {
		t.Errorf("kept %q, want acd: b was used longest ago", got)
	}
	l.Put("a", "other", 10)
	if got := l.Get("a"); got != "a" {
		t.Errorf("a is %q: the first value stays", got)
	}
	l.Put("heavy", "heavy", 85)
	if got := l.Get("heavy") + l.Get("a") + l.Get("c") + l.Get("d"); got != "heavya" {
		t.Errorf("kept %q, want heavy and a, which weigh 95", got)
	}
	l.Put("too heavy", "x", 101)
	if got := l.Get("too heavy") + l.Get("heavy"); got != "heavy" {
		t.Errorf("kept %q, want heavy alone", got)
	}
	l.Drop("heavy")
	l.Drop("heavy")
	l.Put("light", "light", 100)
	if got := l.Get("heavy") + l.Get("light"); got != "light" {
		t.Errorf("kept %q, want light, which has all the room", got)
	}
}

func TestGate(t *testing.T) {
	g := httpapi.NewGate(2, time.Hour)
	for range 2 {
		if refused := g.Enter(t.Context()); refused != "" {
			t.Fatal(refused)
		}
	}
	var waiting sync.WaitGroup
	var entered sync.Map
	for i := range 2 * httpapi.WaitingFor {
		waiting.Go(func() { entered.Store(i, g.Enter(t.Context())) })
	}
	for g.Waiting() < 2*httpapi.WaitingFor {
		// They are on their way.
	}
	if refused := g.Enter(t.Context()); !strings.Contains(refused, "too many operations wait") {
		t.Errorf("one more than may wait: %q", refused)
	}
	for range 2 * httpapi.WaitingFor {
		g.Leave()
	}
	waiting.Wait()
	entered.Range(func(i, refused any) bool {
		if refused != "" {
			t.Errorf("%v waited in vain: %v", i, refused)
		}
		return true
	})
	// Two places are taken. Who no longer wants one does not wait.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if refused := g.Enter(ctx); !strings.Contains(refused, "too many operations run") {
		t.Errorf("cancelled: %q", refused)
	}
	if g.Waiting() != 0 {
		t.Errorf("%d wait", g.Waiting())
	}
}

func TestGate_Patience(t *testing.T) {
	g := httpapi.NewGate(1, time.Millisecond)
	if refused := g.Enter(t.Context()); refused != "" {
		t.Fatal(refused)
	}
	if refused := g.Enter(t.Context()); !strings.Contains(refused, "too many operations run") {
		t.Errorf("got %q", refused)
	}
}

func TestRoom(t *testing.T) {
	r := httpapi.NewRoom(100)
	drop, ok := r.Hold(60)
	if _, fits := r.Hold(50); !ok || fits || r.Used() != 60 {
		t.Errorf("60 fit: %t, 50 more: %t, used %d", ok, fits, r.Used())
	}
	drop()
	if _, fits := r.Hold(100); !fits || r.Used() != 100 {
		t.Errorf("100 fit: %t, used %d", fits, r.Used())
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
