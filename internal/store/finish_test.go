package store_test

import (
	"testing"

	"mintburn/internal/nft"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/expect"
)

// TestFinish_NotTried checks that a token that was not tried waits until its time, in the
// state that it had, unless an event makes it due.
func TestFinish_NotTried(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		apply(t, s, []nft.Block{drop(100, a, 1, 4)})
		tasks := claim(t, q, 4)
		finish(t, q, c.failed(tasks[2], "x", 1), c.fetched(tasks[3], "x"))
		apply(t, s, []nft.Block{with(drop(101, a, 9, 1), a, 1, 1)})
		c.now++
		tasks = append(tasks[:2:2], claim(t, q, 3)...)
		wantIDs(t, "a new mint, an event and a failure", tasks[2:], 9, 2, 1)
		if tasks[2].Due != -101 || tasks[3].Due < 0 {
			t.Errorf("places in the queue: %d and %d", tasks[2].Due, tasks[3].Due)
		}
		var results []nft.Resolution
		for i, task := range tasks {
			results = append(results, nft.Resolution{Task: task, At: c.now, NextAt: c.now + uint64(i)})
		}
		apply(t, s, []nft.Block{with(drop(102, a, 10, 1), a, 9, 9)})
		claim(t, q, 1)
		finish(t, q, results...)
		for id, want := range map[uint64]nft.MetadataState{1: nft.Pending, 2: nft.Failed, 4: ""} {
			m := metadataOf(t, s, a, id)
			if (m == nil) != (want == "") || m != nil && m.State != want {
				t.Errorf("token %d: got %+v, want %s", id, m, want)
			}
		}
		for _, want := range [][]uint64{{4, 9}, {3}, {}, {2}, {1}} {
			wantIDs(t, "due", claim(t, q, 9), want...)
			c.now++
		}
	})
}

// TestFinish_Pictures checks that a picture becomes the document of a token that has no
// other, and else is a failure.
func TestFinish_Pictures(t *testing.T) {
	a := collection(1)
	onQueues(t, func(t *testing.T, s *write.DB, c *clock, q *write.Queue) {
		picture := func(task nft.Task, raw string) nft.Resolution {
			r := c.failed(task, "a picture", 60)
			r.Picture, r.PictureNextAt = c.fetched(task, raw).Document, c.now+7
			return r
		}
		apply(t, s, []nft.Block{drop(100, a, 1, 2)})
		tasks := claim(t, q, 2)
		finish(t, q, picture(tasks[0], "p"), c.fetched(tasks[1], "x"))
		steps := []struct {
			raw, want string
			state     nft.MetadataState
			next      uint64
		}{{"p", "p", nft.Resolved, 7}, {"p", "p", nft.Resolved, 7}, {"other p", "p", nft.Failed, 60}, {"p", "p", nft.Resolved, 7}}
		for i, step := range steps {
			if i > 0 {
				finish(t, q, picture(claimToken(t, q, tasks[0].TokenKey), step.raw))
			}
			m := metadataOf(t, s, a, 2)
			if m == nil || m.Raw != step.want || m.State != step.state || m.NextTry != c.now+step.next {
				t.Fatalf("step %d: got %+v", i, m)
			}
			c.now += 100
		}
		apply(t, s, []nft.Block{with(drop(101, a, 5, 1), a, 1, 1)})
		finish(t, q, picture(claimToken(t, q, tasks[1].TokenKey), "p"))
		if m := metadataOf(t, s, a, 1); m == nil || m.Raw != "x" || m.State != nft.Failed || m.Error == "" {
			t.Errorf("a token with a document: got %+v", m)
		}
	})
}

// TestFinish_Refused checks that a document that the database refuses is the failure of its
// token alone, whether the database refuses its text, its URI or a constraint.
func TestFinish_Refused(t *testing.T) {
	a := collection(1)
	onBoth(t, func(t *testing.T, dsn string) {
		s, c, q := openQueue(t, dsn)
		if isPostgres(dsn) {
			execute(t, dsn, "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = TG_ARGV[0]; END'",
				"CREATE TRIGGER raw BEFORE INSERT OR UPDATE ON tokens FOR EACH ROW WHEN (NEW.raw = 'emoji') EXECUTE FUNCTION refuse('22P05')",
				"CREATE TRIGGER long BEFORE INSERT OR UPDATE ON tokens FOR EACH ROW WHEN (NEW.raw = 'long') EXECUTE FUNCTION refuse('23514')",
				"CREATE TRIGGER uri BEFORE UPDATE ON resolutions FOR EACH ROW WHEN (NEW.uri = 'bad') EXECUTE FUNCTION refuse('22021')",
				"CREATE TRIGGER other BEFORE INSERT OR UPDATE ON tokens FOR EACH ROW WHEN (NEW.raw = 'full') EXECUTE FUNCTION refuse('53100')")
		} else {
			execute(t, dsn, "CREATE TRIGGER raw BEFORE INSERT ON tokens WHEN NEW.raw IN ('emoji', 'long') BEGIN SELECT RAISE(ABORT, 'refused'); END",
				"CREATE TRIGGER uri BEFORE UPDATE ON resolutions WHEN NEW.uri = 'bad' BEGIN SELECT RAISE(ABORT, 'refused'); END")
		}
		apply(t, s, []nft.Block{drop(100, a, 1, 5)})
		tasks := claim(t, q, 5)
		bad := c.failed(tasks[3], "x", 60)
		bad.URI = "bad"
		finish(t, q, c.fetched(tasks[0], "one"), c.fetched(tasks[1], "emoji"), c.fetched(tasks[2], "long"), bad, c.fetched(tasks[4], "two"))
		for id, want := range map[uint64]string{5: "one", 4: "", 3: "", 2: "", 1: "two"} {
			m := metadataOf(t, s, a, id)
			if m == nil || m.Raw != want || (m.State == nft.Resolved) != (want != "") || want == "" && (m.Error != "the database refuses the document" || m.NextTry != c.now+24*60*60) {
				t.Errorf("token %d: got %+v", id, m)
			}
		}
		expect.Equal(t, "tokens due", 0, len(claim(t, q, 5)))
		if !isPostgres(dsn) {
			return
		}
		// Other errors are not the token's.
		apply(t, s, []nft.Block{drop(101, a, 9, 1)})
		if err := q.Finish(t.Context(), []nft.Resolution{c.fetched(claim(t, q, 1)[0], "full")}); err == nil {
			t.Error("a full disk: got no error")
		}
	})
}
