package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// OrderedPlans makes PostgreSQL read rows in order from an index. Generic plans expect few
// rows and would sort them instead. A sort that no index can replace then gets such a
// high cost that PostgreSQL would compile the statement, which takes half a second, so jit
// is off as well.
const OrderedPlans = "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL jit = off"

// start returns the statements that begin a snapshot. Without a transaction, the opening
// statement and those of the same round trip read one state of the database, because
// PostgreSQL runs them as one repeatable-read transaction.
func (g *gathered) start(transaction bool) (start []Statement) {
	if transaction {
		start = append(start, Statement{Text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", Read: ignored})
	}
	// prepareReading has already applied the settings to other connections. Repeating them
	// would take a tenth of the time of a page.
	if g.pooled {
		for _, text := range strings.Split(OrderedPlans, "; ") {
			start = append(start, Statement{Text: text, Read: ignored})
		}
	}
	if g.opening.Read != nil {
		start = append(start, g.opening)
	}
	return start
}

// prepareReading applies the settings of OrderedPlans to new connections and makes them
// use generic plans. PostgreSQL may estimate that custom plans are better and plan each
// time, which takes four times as long as reading a page of one record. A test bounds the
// rows that both kinds of plan read.
func prepareReading(config *pgx.ConnConfig) {
	config.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// Statements without a transaction need this: they may fail as serializable.
	config.RuntimeParams["default_transaction_isolation"] = "repeatable read"
	for _, set := range strings.Split(OrderedPlans, "; ") {
		words := strings.Fields(set)
		config.RuntimeParams[words[2]] = words[4]
	}
}

// endTime is how long PostgreSQL may take to end a snapshot.
const endTime = 5 * time.Second

// ErrNotAlone is the error of the first read after a [Statement.Alone] statement that ran
// without a transaction. Later reads of the snapshot share one state, so the caller has to
// read everything again.
var ErrNotAlone = errors.New("internal error: another read follows a statement that was marked as the only one")

// errClosed is the error for reads after Close.
var errClosed = errors.New("internal error: read from a closed snapshot")

// runOne runs one statement without a snapshot.
func runOne(ctx context.Context, pool *pgxpool.Pool, trace tracer, one Statement) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	defer conn.Release()
	_, errs := pipeline(ctx, conn, trace, nil, []Statement{one})
	return repanic(errs[0])
}

// gathered is a snapshot on PostgreSQL. It sends the statements that concurrent reads wait
// for in one round trip.
type gathered struct {
	pool *pgxpool.Pool
	// pooled is that of [DB], opening that of [Snapshot]. sent is called with every statement
	// but opening and those that begin and end the transaction.
	pooled  bool
	opening Statement
	sent    func(text string, args []any)
	trace   tracer
	// mu guards the fields below and serialises the round trips.
	mu sync.Mutex
	// conn is the connection of the transaction, nil before it begins.
	conn   *pgxpool.Conn
	end    func() // ends the transaction, for close
	closed bool
	// readers is the number of concurrent reads, without the number away of those that wait
	// for the result of another one. waiting holds the batches of those that wait for a round
	// trip.
	readers, away int
	waiting       []*request
	// finishing is set if nothing is read after the concurrent reads.
	finishing bool
	// single is set after a statement that ran alone, without a transaction.
	single bool
}

// request is the batch of a reader that waits for a round trip; done receives its error.
type request struct {
	*reader
	batch []Statement
	done  chan error
}

// reader is one of the concurrent reads of a snapshot.
type reader struct {
	of *gathered
	// path holds the numbers of the enclosing readers, outermost first, then its own.
	path []int
}

// readerKey is the context key of a *reader.
type readerKey struct{}

// readerOf returns the reader of this snapshot that a context belongs to, or nil.
func (g *gathered) readerOf(ctx context.Context) *reader {
	if r, ok := ctx.Value(readerKey{}).(*reader); ok && r.of == g {
		return r
	}
	return nil
}

func ignored(*Row) error { return nil }

// close ends the snapshot. The transaction ends in the background, and a connection that
// fails is not used again.
func (g *gathered) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		go g.end()
	}
	g.closed, g.conn, g.single = true, nil, false
}

// finish implements [Snapshot.Finish].
func (g *gathered) finish(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	g.setFinishing(true)
	defer g.setFinishing(false)
	return g.together(ctx, n, read)
}

func (g *gathered) setFinishing(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.finishing = on
}

// together implements [Snapshot.Together].
func (g *gathered) together(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	var path []int
	caller := g.readerOf(ctx)
	g.mu.Lock()
	if g.readers += n; caller != nil {
		// The caller waits for the new readers, so it does not count.
		g.readers--
		path = caller.path
	}
	g.mu.Unlock()
	errs, left := make([]error, n), n
	one := func(i int) {
		defer func() {
			if cause := recover(); cause != nil {
				errs[i] = panicked{cause}
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if left--; left > 0 || caller == nil {
				g.readers--
			} // Otherwise the caller continues and counts instead of the last reader.
			g.send(ctx)
		}()
		of := &reader{g, append(slices.Clone(path), i)}
		errs[i] = read(context.WithValue(ctx, readerKey{}, of), i)
	}
	var group sync.WaitGroup
	for i := range n - 1 {
		group.Go(func() { one(i) })
	}
	// The last one needs no goroutine, because the caller has to wait anyway.
	one(n - 1)
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return repanic(err)
		}
	}
	return nil
}

// run runs a batch. If the caller is one of several concurrent reads, the batch shares a
// round trip with theirs.
func (g *gathered) run(ctx context.Context, batch []Statement) error {
	if len(batch) == 0 {
		return nil
	}
	caller := g.readerOf(ctx)
	g.mu.Lock()
	if g.readers == 0 || caller == nil {
		defer g.mu.Unlock()
		return repanic(g.runAll(ctx, false, batch)[0])
	}
	one := &request{caller, batch, make(chan error, 1)}
	g.waiting = append(g.waiting, one)
	g.send(ctx)
	g.mu.Unlock()
	return repanic(<-one.done)
}

// apart implements [Snapshot.RunApart].
func (g *gathered) apart(ctx context.Context, one Statement) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sent(one.Text, one.Args)
	if g.conn == nil {
		return runOne(ctx, g.pool, g.trace, one)
	}
	_, errs := pipeline(ctx, g.conn, g.trace, nil, []Statement{one})
	return repanic(errs[0])
}

// leave stops counting n concurrent reads, which wait for the result of another one; -n
// counts them again.
func (g *gathered) leave(ctx context.Context, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.readers, g.away = g.readers-n, g.away+n
	g.send(ctx)
}

// send runs the waiting batches once every concurrent read waits for one. The caller must
// hold mu.
func (g *gathered) send(ctx context.Context) {
	if len(g.waiting) == 0 || len(g.waiting) < g.readers {
		return
	}
	// Sorting makes the order of the statements deterministic.
	slices.SortFunc(g.waiting, func(a, b *request) int { return slices.Compare(a.path, b.path) })
	batches := make([][]Statement, len(g.waiting))
	for i, one := range g.waiting {
		batches[i] = one.batch
	}
	last := g.away == 0 && !slices.ContainsFunc(batches, func(batch []Statement) bool { return !batch[len(batch)-1].Last })
	for i, err := range g.runAll(ctx, last && g.finishing, batches...) {
		g.waiting[i].done <- err
	}
	g.waiting = g.waiting[:0]
}

// runAll runs batches in one round trip and returns the error of each. The first round
// trip also begins the transaction, and the last one also ends it. The caller must hold mu.
func (g *gathered) runAll(ctx context.Context, last bool, batches ...[]Statement) []error {
	for _, batch := range batches {
		for _, one := range batch {
			g.sent(one.Text, one.Args)
		}
	}
	if g.conn != nil && !last {
		_, errs := pipeline(ctx, g.conn, g.trace, nil, batches...)
		return errs
	}
	if g.conn != nil {
		// If the ROLLBACK fails, close ends the transaction.
		batches = append(batches, []Statement{{Text: "ROLLBACK", Read: ignored}})
		_, errs := pipeline(ctx, g.conn, g.trace, nil, batches...)
		if errs[len(errs)-1] == nil {
			g.conn.Release()
			g.conn, g.closed = nil, true
		}
		return errs[:len(errs)-1]
	}
	if g.single {
		g.single = false
		return slices.Repeat([]error{ErrNotAlone}, len(batches))
	}
	errs := g.begin(ctx, batches)
	if g.conn == nil && isGone(errs[0]) && !isUnreachable(errs[0]) && ctx.Err() == nil {
		// The server was restarted or replaced, so all pooled connections are gone.
		g.pool.Reset()
		if !g.single {
			// A single statement may have returned rows already, so it is not repeated.
			errs = g.begin(ctx, batches)
		}
	}
	return errs
}

// isAlone reports whether the batches are a single statement that needs no transaction:
// nothing else is read, and PostgreSQL runs each statement on one state. It is false behind
// a pooler, whose connections have the settings only within a transaction.
func (g *gathered) isAlone(batches [][]Statement) bool {
	return g.finishing && !g.pooled && len(batches) == 1 && len(batches[0]) == 1 && batches[0][0].Alone
}

// begin is runAll for the first round trip, which begins the transaction.
func (g *gathered) begin(ctx context.Context, batches [][]Statement) []error {
	fail := func(err error) []error {
		return slices.Repeat([]error{fmt.Errorf("beginning a snapshot: %w", err)}, len(batches))
	}
	if g.closed {
		return fail(errClosed)
	}
	conn, err := g.pool.Acquire(ctx)
	if err != nil {
		return fail(err)
	}
	if g.isAlone(batches) {
		g.single = true
		failed, errs := pipeline(ctx, conn, g.trace, g.start(false), batches...)
		conn.Release()
		if failed != nil {
			return fail(failed)
		}
		return errs
	}
	failed, errs := pipeline(ctx, conn, g.trace, g.start(true), batches...)
	if failed != nil {
		conn.Release()
		return fail(failed)
	}
	g.conn = conn
	g.end = func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer cancel()
		_, _ = conn.Conn().PgConn().Exec(ctx, "ROLLBACK").ReadAll()
		conn.Release()
	}
	return errs
}
