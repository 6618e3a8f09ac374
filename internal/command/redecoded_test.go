package command_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/chaintest"
	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/store"
)

// TestSync_RedecodedMeanwhile has another process begin to redecode while sync
// stores blocks: sync stores no more of them, and says why.
func TestSync_RedecodedMeanwhile(t *testing.T) {
	db := filepath.Join(t.TempDir(), "x.db")
	var requests atomic.Int64
	var redecoded *store.Store
	node := chaintest.NewNode(t, chaintest.NodeOptions{Wait: func() {
		if requests.Add(-1) != 0 {
			return
		}
		if _, _, err := redecoded.Redecoding().Begin(context.Background(), store.Decoding{RangeCap: 7}); err != nil {
			t.Error(err)
		}
	}})
	mineOptional(t, node, 300)
	mustRun(t, "sync", "--to-block", "30", "--rpc", node.URL, "--db", db)
	var err error
	if redecoded, err = store.Open(t.Context(), db, store.Options{}); err != nil {
		t.Fatal(err)
	}
	defer redecoded.Close()
	requests.Store(8)
	fails(t, 1, "mintburn: the change of the database to --range-cap 7 is not finished: ", "sync", "--once", "--rpc", node.URL, "--db", db)
}

// TestServe_RedecodedMeanwhile serves and follows while another process redecodes:
// it stores nothing with the old options and goes on with the new ones, unless its
// own flags contradict them.
func TestServe_RedecodedMeanwhile(t *testing.T) {
	withBoth(t, func(t *testing.T, db string) {
		node := optionalNode(t, 150)
		s := start(t, "serve", "--rpc", node.URL, "--poll", "10ms", "--no-metadata", "--db", db)
		until(t, func() bool { return s.headIs(t, 150) })
		dead, err := evm.ParseAddress(deadAddress)
		other, openErr := store.Open(t.Context(), db, store.Options{})
		expect.NoError(t, errors.Join(err, openErr))
		defer other.Close()
		_, _, err = other.Redecoding().Begin(t.Context(), store.Decoding{BurnAddresses: []evm.Address{dead}})
		mineOptional(t, node, 10)
		until(t, func() bool { return strings.Contains(s.output.String(), "finishes it") })
		if err != nil || !s.headIs(t, 150) {
			t.Errorf("it stored blocks while the database was redecoded, or error %v", err)
		}
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		until(t, func() bool { return s.headIs(t, 160) })
		checkSame(t, "with the new options", synced(t, node, "--burn-address", deadAddress), db)

		copied := optionalNode(t, 160)
		ended := make(chan string)
		go func() {
			_, stderr, code := run(t, nil, "sync", "--rpc", copied.URL, "--poll", "10ms", "--no-metadata", "--db", db, "--burn-address", deadAddress)
			ended <- fmt.Sprint(code, " ", stderr)
		}()
		until(t, func() bool { calls, _ := copied.AllCalls(); return calls > 0 })
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--range-cap", "7")
		mineOptional(t, copied, 5)
		want := "mintburn: the database is decoded with --range-cap 7, given are --burn-address " + deadAddress + " --range-cap 7: "
		if got := <-ended; !strings.HasPrefix(got, "1 ") || !strings.Contains(got, want) {
			t.Errorf("exit code %s: want 1 %s", got, want)
		}
		// Not before: sync would have nothing to store once the server stored it.
		mineOptional(t, node, 5)
		until(t, func() bool { return s.headIs(t, 165) })
		checkSame(t, "with other options again", synced(t, node, "--range-cap", "7"), db)
	})
}
