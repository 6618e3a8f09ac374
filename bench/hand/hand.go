package hand

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	_ "github.com/mattn/go-sqlite3" // the driver "sqlite3"

	"mintburn/bench/workload"
	"mintburn/internal/evm"
)

// Server answers POST /{path} of each workload, whose body is its variables.
type Server struct {
	db       *sql.DB
	prepared []*sql.Stmt

	byBlock, byRange, byTx, byToken, count, token, traits *sql.Stmt
}

// readers is the size of the pool, which is best on two cores.
const readers = 4

// Open opens the SQLite file at path.
func Open(ctx context.Context, path string) (*Server, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?_query_only=1&_journal_mode=WAL&_cache_size=-16000")
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	s := &Server{db: db}
	for _, statement := range []struct {
		into **sql.Stmt
		text string
	}{
		// SQLite would take other indexes than these, and other orders of the
		// tables.
		{&s.byBlock, fromMints + joins + "WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?"},
		{&s.byRange, fromBurns + "INDEXED BY burns_contract" + joins + collected + "t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?"},
		{&s.byTx, fromMints + "INDEXED BY mints_tx" + joins + "WHERE t.tx_prefix = ? AND t.tx_suffix = ? AND c.address = ? ORDER BY t.id LIMIT ?"},
		{&s.byToken, fromBurns + "INDEXED BY burns_token" + joins + collected + "t.token_id = ? ORDER BY t.id LIMIT ?"},
		{&s.count, "SELECT COUNT(*) FROM mints WHERE contract_id = (SELECT id FROM contracts WHERE address = ?) AND id >= ? AND id < ?"},
		{&s.token, selectTokens + "WHERE t.contract_id = (SELECT id FROM contracts WHERE address = ?) ORDER BY t.token_id LIMIT 1"},
		{&s.traits, "SELECT trait, distinct_values FROM traits WHERE contract_id = ?"},
	} {
		prepared, err := db.PrepareContext(ctx, statement.text) //nolint:sqlclosecheck // Close does.
		if err != nil {
			return nil, errors.Join(fmt.Errorf("preparing %s: %w", statement.text, err), s.Close())
		}
		*statement.into = prepared
		s.prepared = append(s.prepared, prepared)
	}
	return s, nil
}

// Close closes the database.
func (s *Server) Close() error {
	var errs []error
	for _, prepared := range s.prepared {
		errs = append(errs, prepared.Close())
	}
	return errors.Join(append(errs, s.db.Close())...)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var v workload.Variables
	if err := json.NewDecoder(r.Body).Decode(&v); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// The driver starts a goroutine for each statement whose context can end.
	data, err := s.answer(context.WithoutCancel(r.Context()), r.URL.Path[1:], &v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(answer{data})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// answer returns the data of a workload.
func (s *Server) answer(ctx context.Context, path string, v *workload.Variables) (any, error) {
	switch path {
	case "block":
		p, err := s.blockPage(ctx, v)
		return mints{p}, err
	case "range", "deep", "hundred":
		p, err := s.rangePage(ctx, v)
		return burns{p}, err
	case "tx":
		p, err := s.txPage(ctx, v)
		return mints{p}, err
	case "token":
		p, err := s.tokenPage(ctx, v)
		return burns{p}, err
	case "metadata":
		t, err := s.metadata(ctx, v)
		return tokenMetadata{t}, err
	case "total":
		n, err := s.total(ctx, v)
		return mints{total{n}}, err
	case "five":
		return s.five(ctx, v)
	default:
		return nil, fmt.Errorf("no workload %q", path)
	}
}

func (s *Server) five(ctx context.Context, v *workload.Variables) (f five, err error) {
	if f.ByBlock, err = s.blockPage(ctx, v); err != nil {
		return f, err
	}
	if f.ByRange, err = s.rangePage(ctx, v); err != nil {
		return f, err
	}
	if f.ByTx, err = s.txPage(ctx, v); err != nil {
		return f, err
	}
	if f.ByToken, err = s.tokenPage(ctx, v); err != nil {
		return f, err
	}
	f.Metadata, err = s.metadata(ctx, v)
	return f, err
}

func (s *Server) total(ctx context.Context, v *workload.Variables) (n int64, err error) {
	address, err := evm.ParseAddress(v.Address)
	if err != nil {
		return 0, err
	}
	err = s.count.QueryRowContext(ctx, address[:], first(v.FromBlock), first(v.ToBlock+1)).Scan(&n)
	return n, err
}

// first returns the lowest position of a block.
func first(block uint64) int64 { return int64(block) << 30 }
