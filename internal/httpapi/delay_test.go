package httpapi_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintburn/internal/database"
	"mintburn/internal/demo"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// statement is a statement that was sent to a database.
type statement struct {
	text string
	args []any
}

// BenchmarkDelayed measures pages of a range with totals for 16 clients, on a PostgreSQL with
// network delay. "ours" uses the handler. "bare" sends the same statements in the same two
// batches and discards the rows.
func BenchmarkDelayed(b *testing.B) {
	const clients = 16
	for _, delay := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond} {
		proxy := pgtest.NewProxy(b)
		proxy.Delay = delay
		expect.NoError(b, load(b.Context(), proxy.DSN, demo.Open()))
		var mu sync.Mutex // guards sent
		var sent []statement
		s, err := write.Open(b.Context(), proxy.DSN, write.Options{Options: database.Options{Readers: clients, OnStatement: func(text string, args []any) {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, statement{text, args})
		}}})
		expect.NoError(b, err)
		b.Cleanup(func() { _ = s.Close() })
		c := serveStore(b, s)
		newest := apitest.At(c.Get(b, `{ burns(first: 1) { data { blockNumber } } }`, ""), "burns", "data", 0, "blockNumber")
		body := apitest.Request(fmt.Sprintf(`{ burns(fromBlock: 1, toBlock: %v) { totalItems cursor data { tokenAddress tokenId blockNumber transactionHash from } } }`, newest), "")
		for range 3 {
			// Only the last request counts: it no longer loads values that are then cached.
			sent = nil
			expect.Equal(b, "status", http.StatusOK, c.Post(b, body).Status)
		}
		statements := sent
		config, err := pgxpool.ParseConfig(proxy.DSN)
		expect.NoError(b, err)
		config.MaxConns = clients
		pool, err := pgxpool.NewWithConfig(b.Context(), config)
		expect.NoError(b, err)
		b.Cleanup(pool.Close)
		for name, ask := range map[string]func() error{
			"ours": func() error {
				if r := c.Post(b, body); r.Status != http.StatusOK {
					return fmt.Errorf("status %d: %s", r.Status, r.Body)
				}
				return nil
			},
			"bare": func() error { return sendBatches(b, pool, statements) },
		} {
			b.Run(fmt.Sprintf("%s/%s", delay, name), func(b *testing.B) {
				var left atomic.Int64
				left.Store(int64(b.N))
				var group sync.WaitGroup
				for range clients {
					group.Go(func() {
						for left.Add(-1) >= 0 {
							if err := ask(); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				group.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
			})
		}
	}
}

// sendBatches sends statements over a pooled connection, in a transaction of two batches: the
// first two statements, and the rest.
func sendBatches(b *testing.B, pool *pgxpool.Pool, statements []statement) error {
	conn, err := pool.Acquire(b.Context())
	if err != nil {
		return err
	}
	defer conn.Release()
	first, second := &pgx.Batch{}, &pgx.Batch{}
	first.Queue("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
	for i, one := range statements {
		batch := first
		if i >= 2 {
			batch = second
		}
		batch.Queue(one.text, one.args...)
	}
	second.Queue("ROLLBACK")
	for _, batch := range []*pgx.Batch{first, second} {
		if err := conn.SendBatch(b.Context(), batch).Close(); err != nil {
			return err
		}
	}
	return nil
}
