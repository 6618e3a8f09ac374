package command_test

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestSoak runs a server that follows a chain and one that only reads, under a load that
// fills their limiters, for the time in MINTBURN_SOAK. Meanwhile it causes events: kills, a
// full disk, clock steps, reorgs, lost nodes and gateways, ten times the load.
//
// All errors in responses must be documented. After each event, the servers must have the
// chain, and no more open files and goroutines than before. At the end, they must not use
// more memory either. A run of five minutes or more spends half of its time on PostgreSQL.
// MINTBURN_SEED repeats the order of events, but not their timing.
func TestSoak(t *testing.T) {
	text := os.Getenv("MINTBURN_SOAK")
	if text == "" {
		t.Skip("MINTBURN_SOAK is not set")
	}
	length, err := time.ParseDuration(text)
	expect.NoError(t, err)
	seed := expect.Variable(t, "MINTBURN_SEED", rand.Uint64N(1_000_000))
	t.Logf("MINTBURN_SEED=%d", seed)
	databases := map[string]func(*soak){"sqlite": (*soak).onSmallDisk}
	if length >= 5*time.Minute {
		databases["postgres"] = (*soak).onPostgreSQL
	}
	for name, prepare := range databases {
		t.Run(name, func(t *testing.T) {
			ends := time.Now().Add(length/time.Duration(len(databases)) - soakEnd)
			s := newSoak(t, seed)
			prepare(s)
			s.play(ends)
		})
	}
}

// soakEnd is the approximate time of the last event and the comparison of all records.
const soakEnd = 15 * time.Second

// soak is a chain, its servers, their load, and the expected records.
type soak struct {
	t      *testing.T
	random *rand.Rand
	node   *chaintest.Node
	// next returns the contents of the next block. records are the generated records of
	// each block of the node's chain.
	next    func() (*chaintest.Block, bool)
	records []nft.Block
	gateway *gateway
	// clock is the file that sets the follower's clock, see [processClock].
	clock string
	dsn   string
	// disk is the folder of a small file system with the database, or empty.
	disk     string
	postgres *pgtest.Server
	// follower is replaced when it is killed. reader runs during the whole test.
	follower atomic.Pointer[life]
	reader   *life
	// outages counts the stops and starts of PostgreSQL, which is down if it is odd.
	outages atomic.Int64
	mix     *mix
	log     []string
}

// life is a serving process.
type life struct {
	*server
	process *exec.Cmd
	ended   <-chan error
	// ending is set before the process gets a signal.
	ending atomic.Bool
}

func newSoak(t *testing.T, seed uint64) *soak {
	s := &soak{t: t, random: rand.New(rand.NewPCG(seed, 5)), gateway: newGateway(t), clock: filepath.Join(t.TempDir(), "clock")}
	s.node = chaintest.NewNode(t, chaintest.NodeOptions{Finality: chaosFinality, URI: "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/{id}"})
	options := contents(math.MaxInt, 6)
	options.Seed, options.Collections, options.Accounts, options.TxRecords = seed, 20, 100, 4
	next, stop := iter.Pull(chaintest.Blocks(options))
	t.Cleanup(stop)
	s.next, s.records = next, make([]nft.Block, 1)
	expect.NoError(t, os.WriteFile(s.clock, nil, 0o600))
	s.setClock(0)
	t.Cleanup(func() {
		t.Log(strings.Join(s.log, ", "))
		if t.Failed() {
			for _, l := range s.lives() {
				said := l.output.String()
				t.Logf("the end of %d bytes of output: %s", len(said), said[max(0, len(said)-4000):])
			}
		}
	})
	return s
}

// onSmallDisk places the database on a separate file system, if the test may mount one.
func (s *soak) onSmallDisk() {
	folder := s.t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=192m"); err != nil {
		s.t.Logf("no full disk in this run: mounting one: %v", err)
	} else {
		s.disk = folder
		s.t.Cleanup(func() { unmount(s.t, folder) })
	}
	s.dsn = filepath.Join(folder, "soak.db")
}

func (s *soak) onPostgreSQL() {
	s.postgres = pgtest.NewServer(s.t)
	s.dsn = s.postgres.DSN
}

// soakFlags set a shorter timeout for operations than the default.
var soakFlags = []string{"--timeout", "2s"}

func (s *soak) start(args ...string) *life {
	l := &life{}
	l.server, l.process, l.ended = startProcess(s.t, func(p *exec.Cmd) {
		p.Env = append(os.Environ(), clockVariable+"="+s.clock)
	}, slices.Concat([]string{"--db", s.dsn}, soakFlags, args)...)
	if l.Base == "" {
		s.t.Fatalf("a server ended at startup: %s", l.output)
	}
	return l
}

func (s *soak) follow() *life {
	return s.start("--rpc", s.node.URL, "--poll", "50ms", "--allow-private-metadata", "--ipfs-gateway", s.gateway.url)
}

// end sends a signal that ends a process. After SIGTERM, the process must end without an
// error.
func (s *soak) end(l *life, signal syscall.Signal) {
	l.ending.Store(true)
	select {
	case err := <-l.ended:
		s.t.Fatalf("a server ended by itself: %v: %s", err, l.output)
	default:
	}
	expect.NoError(s.t, l.process.Process.Signal(signal))
	if err := <-l.ended; signal == syscall.SIGTERM && err != nil {
		s.t.Errorf("a server that was stopped: %v: %s", err, l.output)
	}
}

func (s *soak) lives() []*life { return []*life{s.follower.Load(), s.reader} }

// play runs events until ends, each kind at least once.
func (s *soak) play(ends time.Time) {
	s.mine(60)
	s.follower.Store(s.follow())
	s.caughtUp()
	s.reader = s.start()
	s.mix = newMix(s)
	s.happen(event{"nothing", func() { s.mix.await(1000) }})
	memory := s.measure(soakMemory)
	s.happen(event{"overload", s.overload})
	files, goroutines := s.measure(soakFiles), s.measure(soakGoroutines)
	for round, over := 0, false; !over; round++ {
		events := s.events()
		s.random.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
		for _, e := range events {
			if over = round > 0 && time.Now().After(ends); over {
				break
			}
			s.happen(e)
			s.flat(soakFiles, files)
			s.flat(soakGoroutines, goroutines)
		}
		over = over || time.Now().After(ends)
	}
	s.flat(soakMemory, memory)
	for _, g := range []resource{soakFiles, soakGoroutines, soakMemory} {
		s.measure(g)
	}
	s.finish()
}

// event is something that happens to the servers or their environment.
type event struct {
	name string
	do   func()
}

func (s *soak) events() []event {
	list := []event{
		{"kill", func() { s.restart(syscall.SIGKILL) }}, {"stop", func() { s.restart(syscall.SIGTERM) }},
		{"reorg", s.reorg}, {"node away", s.nodeAway}, {"gateway away", s.gatewayAway}, {"clock step", s.stepClock}, {"overload", s.overload},
	}
	if s.disk != "" {
		list = append(list, event{"full disk", s.fillDisk})
	}
	if s.postgres != nil {
		list = append(list, event{"PostgreSQL away", s.postgresAway})
	}
	return list
}

// happen runs an event under load, waits until the servers have the chain, and compares
// their responses without a load.
func (s *soak) happen(e event) {
	began := time.Now()
	s.log = append(s.log, e.name)
	s.mix.begin(saturating, false)
	s.mix.await(200)
	s.mine(1 + s.random.IntN(5))
	e.do()
	ended := time.Now()
	s.mine(1 + s.random.IntN(5))
	s.caughtUp()
	recovered := time.Since(ended)
	s.mix.end()
	for _, l := range s.lives() {
		s.compare(l, max(0, len(s.records)-200))
		s.noDefect(l)
	}
	s.log[len(s.log)-1] += fmt.Sprintf(" (%s, recovered in %s)", time.Since(began).Round(10*time.Millisecond), recovered.Round(10*time.Millisecond))
	if s.t.Failed() {
		s.t.Fatalf("after %s", e.name)
	}
}

// mine adds blocks to the chain.
func (s *soak) mine(count int) {
	for range count {
		b, _ := s.next()
		s.node.Add(b)
		s.records = append(s.records, nft.Block{Mints: slices.Clone(b.Mints), Burns: slices.Clone(b.Burns)})
	}
}

// caughtUp waits until each server has the head of the chain.
func (s *soak) caughtUp() {
	s.t.Helper()
	for _, l := range s.lives() {
		if l != nil {
			until(s.t, func() bool { return l.headIs(s.t, len(s.records)-1) })
		}
	}
}

// compare compares the totals of a server, and its records from a block on, with the
// chain.
func (s *soak) compare(l *life, from int) {
	s.t.Helper()
	blocks := s.node.Blocks()
	for field, of := range map[string]func(*nft.Block) []nft.Record{
		"mints": func(b *nft.Block) []nft.Record { return b.Mints },
		"burns": func(b *nft.Block) []nft.Record { return b.Burns },
	} {
		total, want, got := 0, []string{}, []string{}
		for number := range s.records {
			total += len(of(&s.records[number]))
			if number >= from {
				for _, r := range of(&s.records[number]) {
					want = append(want, line(&blocks[number], &r))
				}
			}
		}
		for _, r := range l.walk(s.t, field, fmt.Sprintf("fromBlock: %d", from), 1000) {
			got = append(got, lineOf(r))
		}
		if !slices.Equal(want, got) {
			expect.Equal(s.t, field, want, got)
		}
		totals := l.Get(s.t, "{ page: "+field+"(first: 0) { totalItems } }", "")
		expect.Equal(s.t, "all "+field, total, integer(s.t, totals, "page", "totalItems"))
	}
}

// line returns a record as text.
func line(b *evm.Block, r *nft.Record) string {
	operator := "<nil>"
	if r.Type == nft.ERC1155 {
		operator = r.Operator.String()
	}
	return fmt.Sprintln(b.Header.Number, b.Header.Hash, b.Header.Time, r.LogIndex, r.SubIndex, r.Contract, r.Type, r.TokenID, r.From, r.To, r.Amount, operator)
}

// lineOf is [line] for a record in a response.
func lineOf(r record) string {
	return fmt.Sprintln(r["blockNumber"], r["blockHash"], r["timestamp"], r["logIndex"], r["subIndex"], r["tokenAddress"], r["contractType"], r["tokenId"], r["from"], r["to"], r["amount"], r["operator"])
}

// noDefect checks that a server has counted and logged no internal error.
func (s *soak) noDefect(l *life) {
	text := l.Send(s.t, "GET", "/metrics", "").Body
	for _, defect := range []string{`errors_total{code="INTERNAL"}`, "follower_panics_total"} {
		if n := metric(s.t, text, defect); n != 0 {
			s.t.Errorf("mintburn_%s %v: %s", defect, n, l.output)
		}
	}
	if at := strings.Index(l.output.String(), "level=ERROR"); at >= 0 {
		s.t.Errorf("a server logged %.1000s", l.output.String()[at:])
	}
}

// finish compares all stored data with the chain, and stops the servers.
func (s *soak) finish() {
	s.mix.report()
	for _, l := range s.lives() {
		s.compare(l, 0)
		s.end(l, syscall.SIGTERM)
	}
	mustRun(s.t, "check", "--db", s.dsn)
	mustRun(s.t, "verify", "--db", s.dsn, "--rpc", s.node.URL)
}
