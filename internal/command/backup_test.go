package command_test

import (
	"path/filepath"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// mining lets a node mine a block above head each time a server has stored the one before, until ended is
// called, which returns the head.
func mining(t *testing.T, s *server, node *chaintest.Node, o chaintest.Options, head int) (ended func() int) {
	stop, mined := make(chan struct{}), make(chan int)
	go func() {
		one := o
		one.Blocks = 1
		for {
			select {
			case <-stop:
				mined <- head
				return
			default:
				node.Generate(one)
				head++
				for !s.headIs(t, head) && t.Context().Err() == nil {
				}
			}
		}
	}()
	return func() int {
		close(stop)
		return <-mined
	}
}

// TestBackup_WhileFollowing copies a database while a server follows and serves, and restores
// the copy elsewhere. The copy matches the chain, and another server continues from it.
func TestBackup_WhileFollowing(t *testing.T) {
	t.Parallel()
	skipShort(t, "waits for the end of the lease that the copy has")
	node, o := generated(t, 60, 20)
	folder, other := t.TempDir(), t.TempDir()
	db, copied, restored := filepath.Join(folder, "x.db"), filepath.Join(folder, "copy.db"), filepath.Join(other, "restored.db")
	follow := func(db string) *server { return start(t, "serve", "--db", db, "--rpc", node.URL, "--poll", "1ms") }
	s := follow(db)
	until(t, func() bool { return s.headIs(t, 60) })
	mined := mining(t, s, node, o, 60)
	mustRun(t, "backup", "--db", db, copied)
	head := mined()
	mustRun(t, "restore", "--db", restored, copied)
	mustRun(t, "check", "--db", restored)
	mustRun(t, "verify", "--db", restored, "--rpc", node.URL)
	before := exported(t, restored)
	node.Reorg(3)
	node.Generate(o)
	next := follow(restored)
	for _, s := range []*server{s, next} {
		until(t, func() bool { return s.headIs(t, head+57) })
	}
	after := exported(t, restored)
	expect.Equal(t, "records", exported(t, db), after)
	if len(before) >= len(after) {
		t.Error("the restored database did not grow")
	}
	mustRun(t, "verify", "--db", restored, "--rpc", node.URL)
}
