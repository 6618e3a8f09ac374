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
)

// Server answers POST /{path} for each workload. The body holds the variables.
type Server struct {
	db *sql.DB
	// prepared holds the statements by name.
	prepared map[string]*sql.Stmt
}

// statements holds the texts by name. They name the indexes and fix the order of the
// tables, because SQLite would choose others.
var statements = map[string]string{
	"block": fromMints + joins + "WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?",
	"range": fromBurns + "INDEXED BY burns_contract" + joins + collected + "t.id >= ? AND t.id < ? ORDER BY t.id LIMIT ?",
	"tx":    fromMints + "INDEXED BY mints_tx" + joins + "WHERE t.tx_prefix = ? AND t.tx_suffix = ? AND c.address = ? ORDER BY t.id LIMIT ?",
	"token": fromBurns + "INDEXED BY burns_token" + joins + collected + "t.token_id = ? ORDER BY t.id LIMIT ?",
	"list": fromBurns + joins + "WHERE t.id IN (SELECT f.id FROM contracts k CROSS JOIN burns f INDEXED BY burns_contract ON f.contract_id = k.id " +
		"AND f.id <= COALESCE((SELECT id FROM burns INDEXED BY burns_contract WHERE contract_id = k.id ORDER BY id LIMIT 1 OFFSET 20), 1 << 62) " +
		"WHERE k.address IN (SELECT unhex(substr(value, 3)) FROM json_each(?)) ORDER BY f.id LIMIT 21) ORDER BY t.id LIMIT ?",
	"time": fromBurns + "INDEXED BY burns_contract" + joins + collected + "t.id >= (SELECT id << 30 FROM blocks WHERE time >= ? ORDER BY time, id LIMIT 1) " +
		"AND t.id < (SELECT id + 1 << 30 FROM blocks WHERE time <= ? ORDER BY time DESC, id DESC LIMIT 1) ORDER BY t.id LIMIT ?",
	"total":    "SELECT COUNT(*) FROM mints WHERE contract_id = (SELECT id FROM contracts WHERE address = ?) AND id >= ? AND id < ?",
	"metadata": selectTokens + "WHERE t.contract_id = (SELECT id FROM contracts WHERE address = ?) ORDER BY t.token_id LIMIT 1",
	"traits":   "SELECT trait, distinct_values FROM traits WHERE contract_id = ?",
}

// answers holds, by the path of a workload, the statements behind the fields of its
// answer.
var answers = map[string]map[string]string{
	"block": {"mints": "block"}, "range": {"burns": "range"}, "deep": {"burns": "range"}, "hundred": {"burns": "range"},
	"list": {"burns": "list"}, "time": {"burns": "time"}, "tx": {"mints": "tx"}, "token": {"burns": "token"}, "metadata": {"tokenMetadata": "metadata"}, "total": {"mints": "total"},
	"five": {"byBlock": "block", "byRange": "range", "byTx": "tx", "byToken": "token", "metadata": "metadata"},
}

// readers is the size of the connection pool, the best one on two cores.
const readers = 4

// Open opens the SQLite file at path.
func Open(ctx context.Context, path string) (*Server, error) {
	db, err := sql.Open("sqlite3", "file:"+path+"?_query_only=1&_journal_mode=WAL&_cache_size=-16000")
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	s := &Server{db: db, prepared: map[string]*sql.Stmt{}}
	for name, text := range statements {
		if s.prepared[name], err = db.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // Close does.
			delete(s.prepared, name)
			return nil, errors.Join(fmt.Errorf("preparing %s: %w", text, err), s.Close())
		}
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
	body, err := json.Marshal(map[string]any{"data": data})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// answer returns the answer to a workload.
func (s *Server) answer(ctx context.Context, path string, v *workload.Variables) (map[string]any, error) {
	data, err := map[string]any{}, error(nil)
	for field, name := range answers[path] {
		if data[field], err = s.field(ctx, name, v); err != nil {
			return nil, err
		}
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("no workload %q", path)
	}
	return data, nil
}

// field runs a statement with the variables and returns a field of an answer.
func (s *Server) field(ctx context.Context, name string, v *workload.Variables) (any, error) {
	switch name {
	case "block":
		return s.page(ctx, name, true, 1, limit, first(v.Block), first(v.Block+1))
	case "range":
		return s.rangePage(ctx, v)
	case "list":
		list, err := json.Marshal(v.Addresses)
		if err != nil {
			return nil, err
		}
		return s.page(ctx, name, false, 1, limit, list)
	case "time":
		return s.page(ctx, name, false, 1, limit, v.Address[:], v.FromTime, v.ToTime)
	case "tx":
		return s.page(ctx, name, true, 1, limit, v.Tx.Prefix(), v.Tx.Suffix(), v.TxAddress[:])
	case "token":
		return s.page(ctx, name, false, 1, limit, v.TokenAddress[:], v.TokenID.Bytes())
	case "metadata":
		t, err := s.scanToken(ctx, s.prepared[name].QueryRowContext(ctx, v.MetadataAddress[:]))
		return map[string][]*Token{"data": {t}}, err
	default:
		var n int64
		err := s.prepared[name].QueryRowContext(ctx, v.Address[:], first(v.FromBlock), first(v.ToBlock+1)).Scan(&n)
		return map[string]int64{"totalItems": n}, err
	}
}

// first returns the first position of a block.
func first(block uint64) int64 { return int64(block) << 30 }
