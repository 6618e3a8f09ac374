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

// OrderedPlans tells PostgreSQL to read rows from an index that has their order: a
// generic plan expects few of them, and would sort. The price that this puts on a
// sort which no index saves would make PostgreSQL compile the statement (half a
// second), so jit is off as well.
const OrderedPlans = "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL jit = off"

// beginReading returns the statements that begin a snapshot of PostgreSQL.
func beginReading(pooled bool) []string {
	begin := []string{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}
	if pooled {
		return append(begin, strings.Split(OrderedPlans, "; ")...)
	}
	// Its connection is ours, and has the settings: they would cost a tenth of a page.
	return begin
}

// prepareReading gives new connections the settings of OrderedPlans. They keep the plans for
// all arguments: PostgreSQL may think that those for each are better, and plan each time,
// which takes four times as long as a page of one record. A test bounds what both read.
func prepareReading(config *pgx.ConnConfig) {
	config.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	// For statements without a transaction: a serializable one may fail.
	config.RuntimeParams["default_transaction_isolation"] = "repeatable read"
	for _, set := range strings.Split(OrderedPlans, "; ") {
		words := strings.Fields(set)
		config.RuntimeParams[words[2]] = words[4]
	}
}

// endTime is how long PostgreSQL may take to end a snapshot.
const endTime = 5 * time.Second

// ErrAgain is the error of a read after a statement that was [Statement.Alone] and had no
// transaction. Those that follow read one state again.
var ErrAgain = errors.New("internal error: more is read than the statement that was alone")

// errClosed is the error of reads after Close.
var errClosed = errors.New("internal error: read from a closed snapshot")

// ask runs one statement without a snapshot.
func ask(ctx context.Context, pool *pgxpool.Pool, trace tracer, one Statement) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	defer conn.Release()
	_, errs := pipeline(ctx, conn, trace, nil, []Statement{one})
	return passed(errs[0])
}

// gathered is a snapshot of PostgreSQL. What several reads wait for at the same time
// takes one round trip.
type gathered struct {
	pool *pgxpool.Pool
	// start begins the transaction, sent is called with each other statement.
	start []string
	sent  func(text string, args []any)
	trace tracer
	// mu guards what follows and serialises the round trips.
	mu sync.Mutex
	// conn is within a transaction, nil before that begins.
	conn   *pgxpool.Conn
	end    func() // ends it, for close
	closed bool
	// readers is how many reads run together, and waiting are the batches of those that
	// wait for a round trip.
	readers int
	waiting []*request
	// finishing says that nothing else will be read than what they read.
	finishing bool
	// single says that a statement ran alone, without a transaction.
	single bool
}

// request is the batch of a reader, which waits for its round trip; done gets its error.
type request struct {
	*reader
	batch []Statement
	done  chan error
}

// reader is one of the reads of a snapshot that run together.
type reader struct {
	of *gathered
	// path has its number, after those of the readers that it is a part of.
	path []int
}

// readerKey is the context key of a *reader.
type readerKey struct{}

// readerOf returns the reader that a context belongs to, or nil.
func (g *gathered) readerOf(ctx context.Context) *reader {
	if r, ok := ctx.Value(readerKey{}).(*reader); ok && r.of == g {
		return r
	}
	return nil
}

func ignored(*Row) error { return nil }

// close ends the snapshot. Nobody waits for the end of the transaction, and a connection
// that fails is not used again.
func (g *gathered) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.conn != nil {
		go g.end()
	}
	g.closed, g.conn, g.single = true, nil, false
}

// finish is [Snapshot.Finish].
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

// together is [Snapshot.Together].
func (g *gathered) together(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	var path []int
	caller := g.readerOf(ctx)
	g.mu.Lock()
	if g.readers += n; caller != nil {
		// It waits for them.
		g.readers--
		path = caller.path
	}
	g.mu.Unlock()
	errs, left := make([]error, n), n
	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			defer func() {
				if cause := recover(); cause != nil {
					errs[i] = panicked{cause}
				}
				g.mu.Lock()
				defer g.mu.Unlock()
				if left--; left > 0 || caller == nil {
					g.readers--
				} // Else the caller goes on in place of the last one.
				g.send(ctx)
			}()
			of := &reader{g, append(slices.Clone(path), i)}
			errs[i] = read(context.WithValue(ctx, readerKey{}, of), i)
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return passed(err)
		}
	}
	return nil
}

// run runs a batch, with those of the other reads if the caller is one that runs
// together with others.
func (g *gathered) run(ctx context.Context, batch []Statement) error {
	if len(batch) == 0 {
		return nil
	}
	caller := g.readerOf(ctx)
	g.mu.Lock()
	if g.readers == 0 || caller == nil {
		defer g.mu.Unlock()
		return passed(g.runAll(ctx, false, batch)[0])
	}
	one := &request{caller, batch, make(chan error, 1)}
	g.waiting = append(g.waiting, one)
	g.send(ctx)
	g.mu.Unlock()
	return passed(<-one.done)
}

// send runs the batches of all reads if none of them still does something else. The
// caller must hold mu.
func (g *gathered) send(ctx context.Context) {
	if len(g.waiting) == 0 || len(g.waiting) < g.readers {
		return
	}
	// The same reads send the same.
	slices.SortFunc(g.waiting, func(a, b *request) int { return slices.Compare(a.path, b.path) })
	batches := make([][]Statement, len(g.waiting))
	for i, one := range g.waiting {
		batches[i] = one.batch
	}
	last := !slices.ContainsFunc(batches, func(batch []Statement) bool { return !batch[len(batch)-1].Last })
	for i, err := range g.runAll(ctx, last && g.finishing, batches...) {
		g.waiting[i].done <- err
	}
	g.waiting = g.waiting[:0]
}

// runAll runs batches in one round trip, which begins the transaction with the first
// ones, and ends it with the last ones. It returns the error of each. The caller must
// hold mu.
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
		// Nothing depends on what the last one returns: if it does not end the
		// transaction, close does.
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
		return slices.Repeat([]error{ErrAgain}, len(batches))
	}
	errs := g.begin(ctx, batches)
	if g.conn == nil && IsLost(errs[0]) && !isUnreachable(errs[0]) && ctx.Err() == nil {
		// PostgreSQL was restarted, or another took its place: all connections are gone.
		g.pool.Reset()
		if !g.single {
			// Otherwise the statement may have returned rows.
			errs = g.begin(ctx, batches)
		}
	}
	return errs
}

// isAlone reports whether nothing but the first batch is read, which then needs no
// transaction: PostgreSQL gives a statement one state. A pooler's connection has settings
// in a transaction only.
func (g *gathered) isAlone(batches [][]Statement) bool {
	return g.finishing && len(g.start) == 1 && len(batches) == 1 && len(batches[0]) == 1 && batches[0][0].Alone
}

// begin is runAll that begins the transaction.
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
		_, errs := pipeline(ctx, conn, g.trace, nil, batches...)
		conn.Release()
		return errs
	}
	failed, errs := pipeline(ctx, conn, g.trace, g.start, batches...)
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
