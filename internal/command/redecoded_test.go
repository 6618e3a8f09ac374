package command_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// TestSync_RedecodedMeanwhile checks that no other process can begin a redecode while sync
// stores blocks.
func TestSync_RedecodedMeanwhile(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "x.db")
	var requests atomic.Int64
	var other *write.DB
	refused := make(chan error, 1)
	node := chaintest.NewNode(t, chaintest.NodeOptions{Wait: func() {
		if requests.Add(-1) == 0 {
			_, _, err := proof.NewRedecoding(other).Begin(context.Background(), write.Decoding{RangeCap: 7})
			refused <- err
		}
	}})
	mineOptional(t, node, 300)
	mustRun(t, "sync", "--to-block", "30", "--rpc", node.URL, "--db", db)
	var err error
	other, err = write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer other.Close()
	requests.Store(8)
	mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
	if err := <-refused; err == nil || !strings.Contains(err.Error(), "the database is being written by sync on ") {
		t.Errorf("another process began to redecode: %v", err)
	}
}

// TestServe_RedecodedMeanwhile serves and follows while another process redecodes. The server
// stores no blocks with the old options, and continues with the new ones.
func TestServe_RedecodedMeanwhile(t *testing.T) {
	skipShort(t, "waits for terms to end")
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db string) {
		node := optionalNode(t, 150)
		s := start(t, "serve", "--rpc", node.URL, "--poll", "10ms", "--no-metadata", "--db", db)
		until(t, func() bool { return s.headIs(t, 150) })
		dead, err := evm.ParseAddress(deadAddress)
		other, openErr := write.Open(t.Context(), db, write.Options{})
		expect.NoError(t, errors.Join(err, openErr))
		defer other.Close()
		term, err := other.Lease().Take(t.Context(), lease.Options{Holder: "a redecode that breaks off"})
		expect.NoError(t, err)
		_, _, err = proof.NewRedecoding(other).Begin(t.Context(), write.Decoding{BurnAddresses: []evm.Address{dead}})
		expect.NoError(t, errors.Join(err, term.Release()))
		mineOptional(t, node, 10)
		until(t, func() bool { return strings.Contains(s.output.String(), "finishes it") })
		if !s.headIs(t, 150) {
			t.Error("it stored blocks while the database was redecoded")
		}
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		until(t, func() bool { return s.headIs(t, 160) })
		checkSame(t, "with the new options", synced(t, node, "--burn-address", deadAddress), db)
	})
}

// TestSync_Contradicted checks that a follower ends when its flags contradict changed options
// in the database.
func TestSync_Contradicted(t *testing.T) {
	skipShort(t, "waits for terms to end")
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db string) {
		node, copied := optionalNode(t, 60), optionalNode(t, 60)
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		ended := make(chan string)
		go func() {
			_, stderr, code := run(t, nil, "sync", "--rpc", copied.URL, "--poll", "10ms", "--no-metadata", "--db", db, "--burn-address", deadAddress)
			ended <- fmt.Sprint(code, " ", stderr)
		}()
		until(t, func() bool { calls, _ := copied.AllCalls(); return calls > 0 })
		mustRun(t, "redecode", "--rpc", node.URL, "--db", db, "--range-cap", "7")
		want := "mintburn: the database is decoded with --range-cap 7, given are --burn-address " + deadAddress + " --range-cap 7: "
		if got := <-ended; !strings.HasPrefix(got, "1 ") || !strings.Contains(got, want) {
			t.Errorf("exit code %s: want 1 %s", got, want)
		}
	})
}
