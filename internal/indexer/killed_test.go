package indexer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/evm"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/foldtest"
	"mintburn/internal/testing/storetest"
)

// followCommand runs a follower as a process. Its arguments are the database, the node
// and "once" or "for ever".
func followCommand() {
	if err := followNode(os.Args[1], os.Args[2], os.Args[3] == "once"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func followNode(dsn, url string, once bool) error {
	ctx := context.Background()
	s, err := write.Open(ctx, dsn, write.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	client, err := jsonrpc.Dial([]string{url}, jsonrpc.Options{Step: 8, MaxStep: 8, MinRest: time.Millisecond})
	if err != nil {
		return err
	}
	defer client.Close()
	r := assemble(s, dsn, client)
	r.Poll = time.Millisecond
	return r.Run(ctx, once, nil)
}

// TestRun_Killed kills the follower at random moments, while the chain grows and has
// reorgs. The store must always contain a single branch and, once a restarted follower
// reaches the head, the canonical chain. MINTBURN_SEED repeats the chain of one
// episode, but not the moments; MINTBURN_STEPS is the number of kills.
func TestRun_Killed(t *testing.T) {
	long(t)
	kills := expect.Variable(t, "MINTBURN_STEPS", 12)
	first, one := expect.Variable(t, "MINTBURN_SEED", 1), os.Getenv("MINTBURN_SEED") != ""
	for name, databaseOf := range storetest.Databases() {
		left := kills
		if name == "postgres" {
			left /= 3
		}
		t.Run(name, func(t *testing.T) {
			for seed := first; left > 0; seed++ {
				n := min(left, killsOfAnEpisode)
				if !t.Run(fmt.Sprintf("MINTBURN_SEED=%d", seed), func(t *testing.T) { newMortal(t, databaseOf(t), seed).play(n) }) || one {
					return
				}
				left -= n
			}
		})
	}
}

// killsOfAnEpisode is the most kills in an episode, which bounds its chain.
const killsOfAnEpisode = 8

// mortal is a chain, and the database of followers that are killed.
type mortal struct {
	t      *testing.T
	random *rand.Rand
	node   *chaintest.Node
	seen   *ledger
	dsn    string
	// asked receives a value at each request to the node, if a receiver waits.
	asked chan struct{}
	// reader folds the change feed.
	reader *foldtest.Reader
}

func newMortal(t *testing.T, dsn string, seed uint64) *mortal {
	m := &mortal{t: t, random: rand.New(rand.NewPCG(seed, 2)), seen: &ledger{}, dsn: dsn, asked: make(chan struct{})}
	m.node = chaintest.NewNode(t, chaintest.NodeOptions{Finality: 40, Wait: func() {
		select {
		case m.asked <- struct{}{}:
		default:
		}
	}})
	// Enough records for counter trees and for slow commits.
	contents := chaintest.Default()
	contents.Seed, contents.Blocks, contents.Records, contents.Collections = seed, 60, 30, 3
	m.node.Generate(contents)
	m.seen.add(t, m.node)
	return m
}

// play kills followers, and after about one kill in four lets a follower reach the head.
func (m *mortal) play(kills uint64) {
	for kill := range kills {
		m.live()
		m.look()
		if m.random.IntN(4) == 0 || kill == kills-1 {
			m.rest()
		}
	}
}

// live starts a follower, changes the chain while it runs, and kills it.
func (m *mortal) live() {
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	process, said := m.start(ctx, "for ever")
	for range 1 + m.random.IntN(4) {
		m.await(ctx, process, said, 12)
		m.change()
	}
	// The follower notices a change after one or two requests, and fetches it with a
	// few more.
	m.await(ctx, process, said, 6)
	if err := process.Process.Signal(syscall.SIGKILL); err != nil {
		m.t.Fatal(err)
	}
	var ended *exec.ExitError
	if err := process.Wait(); !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		m.t.Fatalf("the follower ended by itself: %v: %s", err, said)
	}
}

// start starts a follower; said is its standard error.
func (m *mortal) start(ctx context.Context, mode string) (process *exec.Cmd, said *bytes.Buffer) {
	process, said = exec.CommandContext(ctx, "follow", m.dsn, m.node.URL, mode), new(bytes.Buffer)
	process.Stderr = said
	if err := process.Start(); err != nil {
		m.t.Fatal(err)
	}
	return process, said
}

// await waits for a random number of requests, at most most, and then for a random time
// of about the length of a commit.
func (m *mortal) await(ctx context.Context, process *exec.Cmd, said *bytes.Buffer, most int) {
	for range 1 + m.random.IntN(most) {
		select {
		case <-m.asked:
		case <-ctx.Done():
			_ = process.Wait()
			m.t.Fatalf("the follower sends no requests: %s", said)
		}
	}
	timer := time.NewTimer(time.Duration(m.random.Int64N(int64(15 * time.Millisecond))))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// change mines blocks, or replaces some in a reorg.
func (m *mortal) change() {
	height := len(m.node.Blocks()) - 1
	if depth := 1 + m.random.IntN(30); m.random.IntN(3) > 0 && depth < height {
		m.node.Reorg(depth, m.fullBlocks(max(1, depth+m.random.IntN(7)-3))...)
	} else {
		for _, txs := range m.fullBlocks(1 + m.random.IntN(8)) {
			m.node.Mine(txs...)
		}
	}
	m.seen.add(m.t, m.node)
}

// fullBlocks is randomBlocks with ten times as many transactions, so that a commit lasts
// long enough to be hit by a kill.
func (m *mortal) fullBlocks(count int) [][][]evm.Log {
	blocks := randomBlocks(m.random, count)
	for i := range blocks {
		for range 9 {
			blocks[i] = append(blocks[i], randomTxs(m.random)...)
		}
	}
	return blocks
}

// look checks the database after a kill.
func (m *mortal) look() {
	m.t.Helper()
	s, err := write.Open(m.t.Context(), m.dsn, write.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer s.Close()
	if err := m.seen.look(s); err != nil {
		m.t.Fatalf("after a kill: %v", err)
	}
	if m.reader == nil {
		m.reader = foldtest.NewReader(m.t, s.DB, feed.Filter{}, m.random)
	}
	if m.reader.Read(m.t, s.DB); m.random.IntN(2) == 0 {
		m.reader.Compare(m.t, s.DB)
	}
	expect.Equal(m.t, "lost cursors", 0, m.reader.Expired)
	if strings.HasPrefix(m.dsn, "postgres") {
		return
	}
	db := raw(m.t, m.dsn)
	defer db.Close()
	var said string
	if err := db.QueryRowContext(m.t.Context(), "PRAGMA integrity_check").Scan(&said); err != nil || said != "ok" {
		m.t.Fatalf("after a kill the database is %q (%v)", said, err)
	}
}

// rest lets a follower reach the head, and compares the store with the chain.
func (m *mortal) rest() {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	process, said := m.start(ctx, "once")
	if err := process.Wait(); err != nil {
		m.t.Fatalf("the follower ended: %v: %s", err, said)
	}
	r := follow(m.t, m.dsn, jsonrpc.Options{}, m.node)
	defer r.store.Close()
	r.checkHead(m.t, m.node)
}
