package command_test

import (
	"path/filepath"
	"testing"

	"mintburn/internal/testing/expect"
)

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
	// Mine a block each time the previous one is stored.
	stop, mined := make(chan struct{}), make(chan int)
	go func() {
		one := o
		one.Blocks = 1
		head := 60
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
	mustRun(t, "backup", "--db", db, copied)
	close(stop)
	head := <-mined
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
