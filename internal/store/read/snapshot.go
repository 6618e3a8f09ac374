package read

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	entsql "entgo.io/ent/dialect/sql"

	"mintburn/ent"
	"mintburn/ent/contract"
	"mintburn/ent/predicate"
	"mintburn/internal/database"
	"mintburn/internal/evm"
	"mintburn/internal/store/query"
	"mintburn/internal/store/tables"
)

// Snapshot reads one committed state of the data. It is safe for concurrent
// use, one statement at a time, and must be closed.
type Snapshot struct {
	// DB is the database, and Tx the transaction that reads it.
	DB *DB
	Tx *database.Snapshot

	mu sync.Mutex // guards the fields up to begun
	// numbers are those of the snapshot's history. Before the snapshot begins, they are nil or
	// those that it has used, and guessed are the contracts that it has used of them.
	numbers *numbers
	guessed map[int64]evm.Address
	begun   bool
	// state is that of the covered blocks, the last commit under the lease and the deployment: "" before
	// the snapshot begins, if there was no such commit, and on PostgreSQL, where a round trip reads the
	// blocks before it is known.
	state string

	clientOnce sync.Once
	ent        *ent.Client

	// Hold bounds the texts to read; nil means no bound. It must be set before anything is
	// read. Unheld is the number of their bytes that were not passed to Hold yet.
	Hold   Hold
	Unheld atomic.Int64
}

// Snapshot returns a reader of the state at the time of its first statement.
func (s *DB) Snapshot() *Snapshot {
	snapshot := &Snapshot{DB: s}
	snapshot.Tx = s.Database.SnapshotFrom(database.Statement{Text: selectHistory[s.Database.Dialect()], Read: func(row *database.Row) error { return begin(snapshot, row) }}, snapshot.confirm)
	return snapshot
}

// begin reads the row of selectHistory. It returns errOtherHistory if the snapshot has used
// numbers of another history; see confirm.
func begin(s *Snapshot, row *database.Row) error {
	history, state, _ := strings.Cut(row.Text(), " ")
	if strings.HasPrefix(state, " ") {
		state = ""
	}
	if err := row.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	used, last := s.numbers, s.DB.numbers.Load()
	if last.history != history {
		last = &numbers{history: history}
		s.DB.numbers.Store(last)
	}
	if s.begun {
		// Since it began, the snapshot may have used further numbers, which confirm can't compare.
		s.guessed = nil
	}
	s.numbers, s.begun, s.state = last, true, state
	if used != nil && used.history != history {
		return errOtherHistory
	}
	return nil
}

// confirm returns nil if the snapshot's history gave the numbers that the snapshot used
// before it began to the same contracts as the former history. Otherwise it returns failed.
func (s *Snapshot) confirm(ctx context.Context, failed error) error {
	if !errors.Is(failed, errOtherHistory) {
		return failed
	}
	s.mu.Lock()
	history, left := s.numbers.history, maps.Clone(s.guessed)
	s.mu.Unlock()
	if len(left) == 0 || len(left) > tables.MaxArgs {
		return failed
	}
	text, args := s.Client().Contract.Query().Where(contract.IDIn(slices.Collect(maps.Keys(left))...)).Select(contract.FieldID, contract.FieldAddress).Selector().
		AppendSelectExpr(entsql.Raw(storedHistory)).Query()
	err := s.Tx.RunApart(ctx, database.Statement{Text: text, Args: args, Read: func(row *database.Row) error {
		var id int64
		var address evm.Address
		var of string
		err := row.Values(&id, &address, &of)
		if of == history && left[id] == address {
			delete(left, id)
			Remember(s, id, address)
		}
		return err
	}})
	if err == nil && len(left) > 0 {
		err = failed
	}
	return err
}

// cachedContract returns the address of a contract's number, or the number of an address, if it is
// cached for the snapshot's history. Before the snapshot begins, that is the last known one.
func cachedContract(s *Snapshot, key any) (value any, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers
	if n == nil {
		n = s.DB.numbers.Load()
	}
	if value, ok = n.contracts.Load(key); !ok {
		return nil, false
	}
	s.numbers = n
	if !s.begun {
		if s.guessed == nil {
			s.guessed = map[int64]evm.Address{}
		}
		if id, isID := key.(int64); isID {
			s.guessed[id] = value.(evm.Address)
		} else {
			s.guessed[value.(int64)] = key.(evm.Address)
		}
	}
	return value, true
}

// Remember caches a row of contracts that the snapshot read.
func Remember(s *Snapshot, id int64, address evm.Address) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.numbers.contracts.Load(id); !known {
		s.numbers.contracts.Store(id, address)
		s.numbers.contracts.Store(address, id)
	}
}

// Outdated reports whether the last [DB.CheckSchema] found that the schema is too new.
func (s *Snapshot) Outdated() bool { return s.DB.outdated.Load() }

// Client returns ent's client for reads of the snapshot.
func (s *Snapshot) Client() *ent.Client {
	s.clientOnce.Do(func() { s.ent = ent.NewClient(ent.Driver(s.Tx.Driver())) })
	return s.ent
}

// Close ends the snapshot; later reads fail.
func (s *Snapshot) Close() error { return s.Tx.Close() }

// Hold reserves memory for n bytes of texts and returns 0. If they do not fit, it
// reserves nothing and returns the number of excess bytes.
type Hold func(n int64) (excess int64, err error)

// End closes the snapshot, and joins its error to err.
func (s *Snapshot) End(err *error) { *err = errors.Join(*err, s.Close()) }

// Cached runs a statement from the statement cache; see [DB.Statement]. It reports
// whether there was a row.
func (s *Snapshot) Cached(ctx context.Context, key query.Key, build func(*ent.Client) entsql.Querier, args []any, read func(*database.Row) error) (found bool, err error) {
	return s.Run(ctx, database.Statement{Text: s.DB.Statement(key, build), Args: args, Read: read})
}

// Last is cached for the last statement of a reader.
func (s *Snapshot) Last(ctx context.Context, key query.Key, build func(*ent.Client) entsql.Querier, args []any, read func(*database.Row) error) (found bool, err error) {
	return s.Run(ctx, database.Statement{Text: s.DB.Statement(key, build), Args: args, Read: read, Last: true})
}

// Run runs a statement, and reports whether there was a row.
func (s *Snapshot) Run(ctx context.Context, one database.Statement) (found bool, err error) {
	read := one.Read
	one.Read = func(row *database.Row) error {
		found = true
		return read(row)
	}
	err = s.Tx.RunAll(ctx, one)
	return found, err
}

// Ignored is the read function of statements whose values do not matter.
func Ignored(*database.Row) error { return nil }

// ContractID returns the number of a contract, and false if no record or document
// of the contract was ever stored.
func ContractID(ctx context.Context, s *Snapshot, address evm.Address) (int64, bool, error) {
	if err := s.Tx.Begin(ctx); err != nil {
		return 0, false, err
	}
	if id, ok := cachedContract(s, address); ok {
		return id.(int64), true, nil
	}
	var id int64
	found, err := s.Cached(ctx, query.Key{Name: "contract"}, func(client *ent.Client) entsql.Querier {
		return client.Contract.Query().Where(contract.Address(address)).Select(contract.FieldID).Selector()
	}, []any{address}, func(row *database.Row) error { return row.Values(&id) })
	if err != nil {
		return 0, false, fmt.Errorf("looking up contract %s: %w", address, err)
	}
	if found {
		Remember(s, id, address)
	}
	return id, found, nil
}

// ContractIDs returns the numbers of those contracts that have one. One statement reads those
// that are not cached.
func ContractIDs(ctx context.Context, s *Snapshot, addresses []evm.Address) (map[evm.Address]int64, error) {
	if err := s.Tx.Begin(ctx); err != nil {
		return nil, err
	}
	ids := make(map[evm.Address]int64, len(addresses))
	var unread []evm.Address
	for _, address := range addresses {
		if id, ok := cachedContract(s, address); ok {
			ids[address] = id.(int64)
		} else {
			unread = append(unread, address)
		}
	}
	if len(unread) == 0 {
		return ids, nil
	}
	return ids, readContracts(ctx, s, contract.AddressIn(unread...), func(id int64, address evm.Address) { ids[address] = id })
}

// ErrNoAddress is the end of the error for a contract without a row, or with a damaged one.
var ErrNoAddress = errors.New("have no address")

// ContractAddresses returns the addresses of contracts, in the order of their numbers
// in ids. One statement reads those that are not cached. If some have no readable row, it returns
// [ErrNoAddress], and the zero address for them.
func ContractAddresses(ctx context.Context, s *Snapshot, ids []int64) ([]evm.Address, error) {
	if err := s.Tx.Begin(ctx); err != nil {
		return nil, err
	}
	addresses, cached := make([]evm.Address, len(ids)), true
	for i, id := range ids {
		if i > 0 && id == ids[i-1] {
			addresses[i] = addresses[i-1]
		} else if address, ok := cachedContract(s, id); ok {
			addresses[i] = address.(evm.Address)
		} else {
			cached = false
		}
	}
	if cached {
		return addresses, nil
	}
	unread, found := map[int64]struct{}{}, map[int64]evm.Address{}
	for i, id := range ids {
		if addresses[i].IsZero() {
			unread[id] = struct{}{}
		}
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(unread)), tables.MaxArgs) {
		if err := readContracts(ctx, s, contract.IDIn(part...), func(id int64, address evm.Address) { found[id] = address }); err != nil {
			return nil, err
		}
	}
	for i, id := range ids {
		if addresses[i].IsZero() {
			addresses[i] = found[id]
		}
	}
	if n := len(unread) - len(found); n > 0 {
		return addresses, fmt.Errorf("internal error: %d of %d contracts %w", n, len(ids), ErrNoAddress)
	}
	return addresses, nil
}

// readContracts reads and caches contracts, and calls read with each that is not damaged.
func readContracts(ctx context.Context, s *Snapshot, which predicate.Contract, read func(id int64, address evm.Address)) error {
	named := s.DB.Queries.Contract.Query().Where(which).Select(contract.FieldID, contract.FieldAddress).Selector()
	err := s.Tx.Query(ctx, named, func(row *database.Row) error {
		var id int64
		var address evm.Address
		if row.Values(&id, &address) != nil {
			row.Forgive()
			return nil
		}
		Remember(s, id, address)
		read(id, address)
		return nil
	})
	return database.Wrap(err, "looking up contracts")
}

// StatementOf returns the statement with a name for a selection with a limit.
func (s *Snapshot) StatementOf(q *query.Query, name string, of query.Selection) (text string, args []any) {
	text = s.DB.Statement(q.Key(name, of), func(client *ent.Client) entsql.Querier {
		if q.List != nil {
			return q.Merged(client, of)
		}
		return q.Selector(client, of)
	})
	if q.List != nil {
		return text, q.MergedArgs(s.DB.Database.Dialect(), of)
	}
	return text, q.Args(s.DB.Database.Dialect(), of)
}
