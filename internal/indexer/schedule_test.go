package indexer

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// chain returns the times at which blocks appear, given the time from each block to the next.
func chain(count int, next func(i int) time.Duration) (blocks []time.Duration) {
	at := time.Duration(0)
	for i := range count {
		at += next(i)
		blocks = append(blocks, at)
	}
	return blocks
}

// every returns a time between two blocks that varies by up to a share of it.
func every(period time.Duration, varies float64) func(int) time.Duration {
	r := rand.New(rand.NewPCG(1, 2))
	return func(int) time.Duration {
		return period + time.Duration((2*r.Float64()-1)*varies*float64(period))
	}
}

// simulated is the result of following a chain by a schedule.
type simulated struct {
	polls, refused int
	// late are the times from each block to the poll that saw it.
	late []time.Duration
}

func (s simulated) median() time.Duration {
	return slices.Sorted(slices.Values(s.late))[len(s.late)/2]
}

// follow simulates polls of a node that needs a time for each answer. refused, if not nil,
// reports whether it refuses a poll.
func follow(t *testing.T, blocks []time.Duration, answer time.Duration, refused func(at time.Duration) bool) (got simulated) {
	t.Helper()
	var s schedule
	start := time.Unix(1_700_000_000, 0)
	for now := time.Duration(0); len(got.late) < len(blocks); {
		now += answer
		got.polls++
		if refused != nil && refused(now) {
			got.refused++
			s.refused()
		}
		for len(got.late) < len(blocks) && blocks[len(got.late)] <= now {
			got.late = append(got.late, now-blocks[len(got.late)])
		}
		s.saw(uint64(len(got.late)), start.Add(now), false)
		wait := s.wait(start.Add(now))
		if wait < minPoll || wait > MaxPoll {
			t.Fatalf("a wait of %s, want %s to %s", wait, minPoll, MaxPoll)
		}
		now += wait
	}
	return got
}

// TestSchedule checks how late blocks are seen, and by how many polls. A block costs one more
// request, for its receipts.
func TestSchedule(t *testing.T) {
	exponential := func(mean time.Duration) func(int) time.Duration {
		random := rand.New(rand.NewPCG(3, 4))
		return func(int) time.Duration { return time.Duration(random.ExpFloat64() * float64(mean)) }
	}
	for name, test := range map[string]struct {
		next func(i int) time.Duration
		// median is the longest median, polls are the most polls a block.
		median time.Duration
		polls  float64
	}{
		"50 ms":            {every(50*time.Millisecond, 0), 60 * time.Millisecond, 1},
		"250 ms":           {every(250*time.Millisecond, 0), 40 * time.Millisecond, 2.5},
		"250 ms, varying":  {every(250*time.Millisecond, 0.3), 50 * time.Millisecond, 2.5},
		"400 ms":           {every(400*time.Millisecond, 0.05), 50 * time.Millisecond, 2.5},
		"1 s":              {every(time.Second, 0.05), 100 * time.Millisecond, 2.5},
		"2 s":              {every(2*time.Second, 0), 200 * time.Millisecond, 2.2},
		"2 s, varying":     {every(2*time.Second, 0.1), 250 * time.Millisecond, 2.8},
		"2 s, random":      {exponential(2 * time.Second), 600 * time.Millisecond, 3},
		"3 s":              {every(3*time.Second, 0.02), 250 * time.Millisecond, 3.2},
		"12 s":             {every(12*time.Second, 0), 700 * time.Millisecond, 7.2},
		"12 s, varying":    {every(12*time.Second, 0.05), 700 * time.Millisecond, 8},
		"13 s, random":     {exponential(13 * time.Second), time.Second, 8.5},
		"12 s, some empty": {func(i int) time.Duration { return 12 * time.Second * time.Duration(1+i%20/19) }, time.Second, 8},
		"a minute":         {every(time.Minute, 0.1), 1100 * time.Millisecond, 33},
	} {
		t.Run(name, func(t *testing.T) {
			got := follow(t, chain(2000, test.next), 5*time.Millisecond, nil)
			polls := float64(got.polls) / 2000
			t.Logf("median %s, %.2f polls a block", got.median(), polls)
			if got.median() > test.median || polls > test.polls {
				t.Errorf("median %s, %.2f polls a block; want at most %s, %.2f", got.median(), polls, test.median, test.polls)
			}
		})
	}
}

// TestSchedule_Changes checks that a chain that stands still is polled rarely, and that the
// polls follow a chain that becomes faster or slower.
func TestSchedule_Changes(t *testing.T) {
	const second, fast = time.Second, 250 * time.Millisecond
	blocks := chain(1000, func(i int) time.Duration {
		switch {
		case i == 200:
			return 10 * time.Minute
		case 400 <= i && i < 800:
			return fast
		default:
			return 2 * second
		}
	})
	got := follow(t, blocks, 5*time.Millisecond, nil)
	if most := 600*22/10 + 400*25/10 + 300 + 100; got.polls > most {
		t.Errorf("%d polls, want at most %d", got.polls, most)
	}
	for first, most := range map[int]time.Duration{0: 250 * time.Millisecond, 210: 250 * time.Millisecond, 450: 50 * time.Millisecond, 810: 250 * time.Millisecond} {
		if part := (simulated{late: got.late[first : first+50]}); part.median() > most {
			t.Errorf("from block %d on the median is %s, want at most %s", first, part.median(), most)
		}
	}
}

// TestSchedule_Refused checks that polls become rare while a node refuses those that follow the
// last one within a second, and frequent again once it does not.
func TestSchedule_Refused(t *testing.T) {
	blocks := chain(4000, every(250*time.Millisecond, 0))
	limited, last, polls := blocks[2000], time.Duration(0), 0
	got := follow(t, blocks, 5*time.Millisecond, func(at time.Duration) bool {
		refused := at < limited && at-last < time.Second
		if last = at; at < limited {
			polls++
		}
		return refused
	})
	if polls > 500 || got.refused == 0 || got.refused > polls/8 {
		t.Errorf("%d polls within %s, of which %d were refused; want 500, an eighth of them refused", polls, limited, got.refused)
	}
	if part := (simulated{late: got.late[3000:]}); part.median() > 50*time.Millisecond {
		t.Errorf("the median is %s after the node refused calls, want 50ms", part.median())
	}
}

// TestSchedule_Pushed checks that polls are rare while heads are pushed, but not after a head
// that was not pushed, or a push before the polled node has the block.
func TestSchedule_Pushed(t *testing.T) {
	var s schedule
	now := time.Unix(1_700_000_000, 0)
	saw := func(head uint64, after time.Duration, pushed bool, want time.Duration) {
		t.Helper()
		now = now.Add(after)
		if s.saw(head, now, pushed); s.wait(now) != want {
			t.Errorf("at head %d: %s to the next poll, want %s", head, s.wait(now), want)
		}
	}
	saw(10, 0, true, MaxPoll)
	saw(11, time.Second, true, MaxPoll)
	saw(12, time.Second, false, 875*time.Millisecond)
	saw(11, 500*time.Millisecond, true, 375*time.Millisecond)
	saw(12, 375*time.Millisecond, false, 125*time.Millisecond)
	saw(13, 125*time.Millisecond, true, MaxPoll)
	saw(13, 750*time.Millisecond, true, 125*time.Millisecond)
	saw(14, 250*time.Millisecond, false, 875*time.Millisecond)
	saw(15, time.Second, true, MaxPoll)
}
