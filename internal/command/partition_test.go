package command_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// chainHead is a query for the last indexed block.
const chainHead = `{"query": "{ chain { head { number hash } } }"}`

// TestPartition silently cuts the writing process off from PostgreSQL. Another process takes
// over. The former answers that the data is unavailable. When the network is back, it does not
// commit the transaction that it had begun, and stands by.
func TestPartition(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for terms to end")
	for name, before := range map[string][]string{
		"outside of a transaction": nil,
		"within a transaction":     {"pg_advisory_xact_lock", `copy "mints"`},
		"within a copy":            {`copy "mints"`, "PGCOPY"},
		"committing":               {`copy "mints"`, "commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.DSN(t)
			network := pgtest.NewProxies(t, dsn)[0]
			p := newPartition(t, network.DSN, dsn)
			// Otherwise the former process would not stop.
			defer network.Thaw()
			if before == nil {
				network.Freeze()
			} else {
				network.FreezeBefore(before...)
			}
			p.mine()
			until(t, network.Frozen)
			p.replaceHead()
			until(t, func() bool { return p.next.headIs(t, 101) })
			until(t, func() bool {
				return strings.Contains(p.former.Send(t, http.MethodPost, "/graphql", chainHead).Body, `"UNAVAILABLE"`)
			})
			network.Thaw()
			p.compare()
		})
	}
}

// Time limits after the network is lost: until another process commits, until the former one
// answers the first read and each later one, and until PostgreSQL ends its sessions. The last
// one is the limit until the former process reads again when the network is back.
const (
	takeoverTime = 12 * time.Second
	firstTime    = 11 * time.Second
	laterTime    = 4 * time.Second
	sessionTime  = 30 * time.Second
	returnTime   = 5 * time.Second
)

// TestPartition_Network is TestPartition with a network that drops all packets, and with time
// limits. It runs with MINTBURN_PARTITION, because it changes the machine's network.
func TestPartition_Network(t *testing.T) {
	if os.Getenv("MINTBURN_PARTITION") == "" {
		t.Skip("MINTBURN_PARTITION is not set")
	}
	for _, writing := range []bool{false, true} {
		t.Run(fmt.Sprint("writing: ", writing), func(t *testing.T) {
			network := pgtest.NewNetwork(t)
			p := newPartition(t, network.Way, network.DSN)
			if writing {
				p.cutWriting(network)
			} else {
				network.Cut()
				p.mine()
			}
			cut := time.Now()
			p.replaceHead()
			reads := make(chan time.Duration)
			go func() {
				defer close(reads)
				for time.Since(cut) < sessionTime {
					reads <- p.refused()
				}
			}()
			until(t, func() bool { return p.next.headIs(t, 101) })
			bounded(t, "the next commit", time.Since(cut), takeoverTime)
			bounded(t, "the first read", <-reads, firstTime)
			for took := range reads {
				bounded(t, "a read", took, laterTime)
			}
			until(t, func() bool { return p.finds("FROM pg_stat_activity WHERE client_addr = $1", network.Client) == 0 })
			bounded(t, "the end of sessions", time.Since(cut), sessionTime+laterTime)
			network.Restore()
			back := time.Now()
			until(t, func() bool { return p.former.headIs(t, 101) })
			bounded(t, "a read after the return", time.Since(back), returnTime)
			p.compare()
			bounded(t, "standing by, and a check", time.Since(back), 2*returnTime)
		})
	}
}

// bounded logs how long something took, and fails the test if that exceeds limit.
func bounded(t *testing.T, what string, took, limit time.Duration) {
	t.Helper()
	t.Logf("%s: %s", what, took.Round(10*time.Millisecond))
	if took > limit {
		t.Errorf("%s took %s, want at most %s", what, took, limit)
	}
}

// partition is two processes that follow a chain. The former writes until it is cut off,
// then the next.
type partition struct {
	t            *testing.T
	node         *chaintest.Node
	blocks       chaintest.Options
	former, next *server
	// dsn is the address with which the next process reaches the database.
	dsn string
	db  *sql.DB
	// replaced is the hash of a block that only the former process has read.
	replaced evm.Hash
}

func newPartition(t *testing.T, former, next string) *partition {
	p := &partition{t: t, dsn: next, node: chaintest.NewNode(t, chaintest.NodeOptions{})}
	var err error
	p.db, err = sql.Open("pgx", p.dsn)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = p.db.Close() })
	p.node.MineEmpty(100)
	p.blocks = contents(1, 100)
	follow := func(dsn string) *server {
		return start(t, "serve", "--rpc", p.node.URL, "--db", dsn, "--poll", "10ms", "--no-metadata")
	}
	p.former = follow(former)
	until(t, func() bool { return p.former.headIs(t, 100) })
	p.next = follow(next)
	until(t, func() bool { return strings.Contains(p.next.output.String(), standsBy) })
	return p
}

// cutWriting cuts the network while the former process runs a statement of its write
// transaction.
func (p *partition) cutWriting(network *pgtest.Network) {
	other, err := p.db.BeginTx(p.t.Context(), nil)
	expect.NoError(p.t, err)
	_, err = other.ExecContext(p.t.Context(), "LOCK TABLE mints IN SHARE MODE")
	expect.NoError(p.t, err)
	p.mine()
	until(p.t, func() bool { return p.finds("FROM pg_locks WHERE relation = 'mints'::regclass AND NOT granted") == 1 })
	network.Cut()
	expect.NoError(p.t, other.Rollback())
}

// finds returns the number of rows that a query selects.
func (p *partition) finds(from string, args ...any) (n int) {
	expect.NoError(p.t, p.db.QueryRowContext(p.t.Context(), "SELECT count(*) "+from, args...).Scan(&n))
	return n
}

// refused reads from the former process, which must answer UNAVAILABLE, and returns how long
// that took.
func (p *partition) refused() time.Duration {
	began := time.Now()
	if got := p.former.Send(p.t, http.MethodPost, "/graphql", chainHead); !strings.Contains(got.Body, `"UNAVAILABLE"`) {
		p.t.Errorf("a read: status %d: %s", got.Status, got.Body)
	}
	return time.Since(began)
}

// mine adds a block with enough records for PostgreSQL's COPY.
func (p *partition) mine() {
	p.blocks.Seed++
	p.node.Generate(p.blocks)
}

// replaceHead replaces the last block.
func (p *partition) replaceHead() {
	blocks := p.node.Blocks()
	p.replaced = blocks[len(blocks)-1].Header.Hash
	p.node.Reorg(1)
	p.mine()
}

// compare checks that both processes continue, and that the replaced block was never stored.
func (p *partition) compare() {
	t := p.t
	p.mine()
	for _, s := range []*server{p.next, p.former} {
		until(t, func() bool { return s.headIs(t, 102) })
	}
	until(t, func() bool { return strings.Contains(p.former.output.String(), standsBy) })
	expect.Equal(t, "the replaced block", 0, p.finds("FROM blocks WHERE hash_suffix = $1", p.replaced[8:])+p.finds("FROM orphaned_blocks WHERE hash = $1", p.replaced[:]))
	mustRun(t, "check", "--db", p.dsn)
}
