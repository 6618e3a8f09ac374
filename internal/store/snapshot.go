package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Snapshot reads one committed state of the data. It is safe for concurrent
// use, one statement at a time, and must be closed.
type Snapshot struct {
	store *Store

	// mu guards what follows and serialises the statements on conn, which is
	// within a transaction as long as it is not nil; end ends that.
	mu     sync.Mutex
	conn   *sql.Conn
	end    func() error
	closed bool

	clientOnce sync.Once
	ent        *ent.Client

	// hold bounds the texts that are read; nil is no bound. unheld is how many bytes
	// of them were read before memory was taken for them.
	hold   Hold
	unheld atomic.Int64
}

// Snapshot returns a reader of the state at the time of its first statement.
func (s *Store) Snapshot() *Snapshot { return &Snapshot{store: s} }

// Hold takes memory for n bytes of texts and returns 0. If they do not fit, it
// takes none and returns how many bytes are too many.
type Hold func(n int64) (excess int64, err error)

// Bound lets hold decide which texts the snapshot reads. It must be called before
// anything is read.
func (s *Snapshot) Bound(hold Hold) { s.hold = hold }

// Close ends the snapshot; later reads fail.
func (s *Snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.conn == nil {
		return nil
	}
	conn := s.conn
	s.conn = nil
	err := s.end()
	switch {
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone):
		// The connection is gone, and its transaction with it.
		return nil
	case err == nil:
		err = conn.Close()
	}
	if err != nil {
		return fmt.Errorf("ending a snapshot: %w", err)
	}
	return nil
}

// orderedPlans tells PostgreSQL to read records from an index that has their order:
// a plan for all arguments expects few of them, and would sort.
const orderedPlans = "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off"

// begin starts the transaction; the caller must hold mu.
func (s *Snapshot) begin(ctx context.Context) error {
	switch {
	case s.closed:
		return errors.New("internal error: read from a closed snapshot")
	case s.conn != nil:
		return nil
	}
	start := "BEGIN"
	if s.store.dialect == dialect.Postgres {
		start = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; " + orderedPlans
	}
	// Waiting for a connection ends with ctx. The transaction lives until
	// Close: one field's cancelled context must not end it for the others.
	conn, err := s.store.reader.Conn(ctx)
	if err != nil {
		return fmt.Errorf("waiting for a connection: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if err := database.Execute(ctx, conn, start); err != nil {
		return fmt.Errorf("beginning a snapshot: %w", err)
	}
	s.conn, s.end = conn, func() error { return database.Execute(ctx, conn, "ROLLBACK") }
	return nil
}

// statementKey is everything that the text of a cached statement depends on.
type statementKey struct {
	// name is that of the statement; the rest is for those that vary.
	name string
	kind nft.Kind
	// lead and where say which filter it is: see query.
	lead  string
	where int
	// low and high say that there are these bounds.
	low, high bool
	fromHigh  bool
	holes     bool
	limit     int
	texts     Texts
}

// statement returns the text of a statement from the cache. Otherwise build
// makes it, with ent, of any values: the arguments go beside the text, in the
// order in which it has them.
func (s *Snapshot) statement(key statementKey, build func(*ent.Client) entsql.Querier) string {
	return s.store.statements.Get(key, func() string {
		text, _ := build(s.store.queries).Query()
		return text
	})
}

// run runs a statement and calls read for each row.
func (s *Snapshot) run(ctx context.Context, text string, args []any, read func(*database.Row) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.store.sent(text, args)
	return database.Query(ctx, s.conn, text, args, read)
}

// cached runs a statement from the cache; see statement. It reports whether
// there was a row.
func (s *Snapshot) cached(ctx context.Context, key statementKey, build func(*ent.Client) entsql.Querier, args []any, read func(*database.Row) error) (found bool, err error) {
	err = s.run(ctx, s.statement(key, build), args, func(row *database.Row) error {
		found = true
		return read(row)
	})
	return found, err
}

// ignored is for statements of which only the number of rows matters.
func ignored(*database.Row) error { return nil }

// sent passes a statement on to who watches.
func (s *Store) sent(text string, args []any) {
	if s.opts.OnStatement != nil {
		s.opts.OnStatement(text, args)
	}
}

// client returns ent's client for reads of the snapshot.
func (s *Snapshot) client() *ent.Client {
	s.clientOnce.Do(func() { s.ent = ent.NewClient(ent.Driver(reading{s})) })
	return s.ent
}

// reading is ent's driver that reads a snapshot.
type reading struct{ snapshot *Snapshot }

var _ dialect.Driver = reading{}

// errReadOnly is what writes by a snapshot get.
var errReadOnly = errors.New("internal error: a snapshot only reads")

// Dialect implements [dialect.Driver].
func (r reading) Dialect() string { return r.snapshot.store.dialect }

// Close implements [dialect.Driver]. The snapshot is closed by its owner.
func (reading) Close() error { return nil }

// Exec implements [dialect.Driver].
func (reading) Exec(context.Context, string, any, any) error { return errReadOnly }

// Tx implements [dialect.Driver].
func (reading) Tx(context.Context) (dialect.Tx, error) { return nil, errReadOnly }

// Query implements [dialect.Driver]. Until the rows are closed, other reads of
// the snapshot wait.
func (r reading) Query(ctx context.Context, text string, args, to any) (err error) {
	rows, ok := to.(*entsql.Rows)
	values, listed := args.([]any)
	if !ok || !listed {
		return fmt.Errorf("internal error: a query of %T into %T", args, to)
	}
	s := r.snapshot
	s.mu.Lock()
	defer func() {
		if err != nil {
			s.mu.Unlock()
		}
	}()
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.store.sent(text, values)
	found, err := s.conn.QueryContext(ctx, text, values...) //nolint:rowserrcheck // ent checks it
	if err != nil {
		return err
	}
	rows.ColumnScanner = &lockedRows{Rows: found, unlock: sync.OnceFunc(s.mu.Unlock)}
	return nil
}

// lockedRows are rows of a snapshot, which others may use when they are closed.
type lockedRows struct {
	*sql.Rows
	unlock func()
}

// Close closes the rows.
func (r *lockedRows) Close() error {
	defer r.unlock()
	return r.Rows.Close()
}

// The bits of a contract's shapes.
const (
	shape721  = 1
	shape1155 = 2
)

// contractID returns the number of a contract, and false for one that no
// record or document named yet.
func (s *Snapshot) contractID(ctx context.Context, address evm.Address) (int64, bool, error) {
	if id, ok := s.store.contracts.Load(address); ok {
		return id.(int64), true, nil
	}
	id, err := s.client().Contract.Query().Where(contract.Address(address)).OnlyID(ctx)
	if ent.IsNotFound(err) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("looking up contract %s: %w", address, err)
	}
	s.store.remember(id, address)
	return id, true, nil
}

// contractAddresses is the inverse of contractID for many contracts, in their
// order: those that are not cached take one statement.
func (s *Snapshot) contractAddresses(ctx context.Context, ids []int64) ([]evm.Address, error) {
	addresses, missing, err := s.knownAddresses(ctx, ids)
	if err == nil && missing > 0 {
		err = fmt.Errorf("internal error: %d of %d contracts have no address", missing, len(ids))
	}
	return addresses, err
}

// knownAddresses is contractAddresses that returns the zero address for contracts
// that are not there, and their number.
func (s *Snapshot) knownAddresses(ctx context.Context, ids []int64) (addresses []evm.Address, unknown int, err error) {
	addresses = make([]evm.Address, len(ids))
	var missing []int64
	isMissing := map[int64]bool{}
	for i, id := range ids {
		if i > 0 && id == ids[i-1] {
			addresses[i] = addresses[i-1]
		} else if cached, ok := s.store.contracts.Load(id); ok {
			addresses[i] = cached.(evm.Address)
		} else if !isMissing[id] {
			missing, isMissing[id] = append(missing, id), true
		}
	}
	if len(missing) == 0 {
		return addresses, 0, nil
	}
	found := map[int64]evm.Address{}
	for part := range slices.Chunk(missing, maxArgs) {
		rows, err := s.client().Contract.Query().Where(contract.IDIn(part...)).All(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("looking up contracts: %w", err)
		}
		for _, row := range rows {
			found[row.ID] = row.Address
			s.store.remember(row.ID, row.Address)
		}
	}
	for i, id := range ids {
		if isMissing[id] {
			addresses[i] = found[id]
		}
	}
	return addresses, len(missing) - len(found), nil
}

// remember caches a committed row of contracts.
func (s *Store) remember(id int64, address evm.Address) {
	s.contracts.Store(id, address)
	s.contracts.Store(address, id)
}

// typeOf names the standard of a collection whose records had these shapes.
// A contract that emits both is called ERC-721; one without records, whose
// documents came first, is judged by the {id} that only an ERC-1155 URI has.
func typeOf(shapes int8, uriHasID bool) nft.ContractType {
	if shapes == shape1155 || shapes == 0 && uriHasID {
		return nft.ERC1155
	}
	return nft.ERC721
}
