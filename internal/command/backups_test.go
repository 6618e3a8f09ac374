package command_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// backups is a follower whose disk is lost, and the blocks of docs/backup.md that back it
// up and restore it. The blocks with info strings such as sh litestream and sh pgbackrest run
// only here, because the other tests run without these tools.
type backups struct {
	*chaos
	blocks   []fence
	follower *server
	process  *exec.Cmd
	ended    <-chan error
}

// newBackups returns a chain without a follower. It skips the test unless MINTBURN_BACKUPS is
// set.
func newBackups(t *testing.T, tool string) *backups {
	t.Helper()
	if os.Getenv("MINTBURN_BACKUPS") == "" {
		t.Skip("MINTBURN_BACKUPS is not set")
	}
	needed(t, "a tool is not installed", func() error {
		_, err := exec.LookPath(tool)
		return err
	})
	blocks, err := fences(documents(t)["docs/backup.md"])
	expect.NoError(t, err)
	node := chaintest.NewNode(t, chaintest.NodeOptions{Finality: chaosFinality, URI: `data:application/json,{"name":"backups"}`})
	b := &backups{blocks: blocks, chaos: &chaos{t: t, random: rand.New(rand.NewPCG(1, 3)), node: node}}
	b.mine(60)
	return b
}

// documented returns the text of the block with an info string, with the documented names
// replaced by names on this machine.
func (b *backups) documented(info string, instead ...string) string {
	b.t.Helper()
	for _, block := range b.blocks {
		if block.info == info {
			return strings.NewReplacer(append(instead, "./mintburn ", "mintburn ", "https://your-node.example", b.node.URL)...).Replace(block.text)
		}
	}
	b.t.Fatalf("docs/backup.md has no block %s", info)
	return ""
}

// must runs a program, which must succeed. With changing, it changes the chain meanwhile.
func (b *backups) must(process *exec.Cmd, changing bool) {
	b.t.Helper()
	said := &output{endpoint: make(chan string, 1)}
	process.Stdout, process.Stderr = said, said
	expect.NoError(b.t, process.Start())
	ended := make(chan error, 1)
	go func() { ended <- process.Wait() }()
	for changing && len(ended) == 0 {
		b.change()
		b.await()
	}
	if err := <-ended; err != nil {
		b.t.Fatalf("%v: %v: %s", process.Args, err, said)
	}
	b.t.Logf("%v: %s", process.Args, said)
}

// in returns a shell that runs commands in a folder and exits at the first that fails.
func (b *backups) in(folder, commands string) *exec.Cmd {
	process := exec.CommandContext(b.t.Context(), "sh", "-ec", commands)
	process.Dir = folder
	return process
}

// follow starts a follower of the database, and waits until it has the chain's head.
func (b *backups) follow(dsn string) {
	b.t.Helper()
	b.dsn = dsn
	b.follower, b.process, b.ended = startProcess(b.t, func(*exec.Cmd) {}, "--db", dsn, "--rpc", b.node.URL, "--poll", "10ms")
	b.await()
}

// await waits until the follower has the chain's head.
func (b *backups) await() {
	b.t.Helper()
	until(b.t, func() bool { return b.follower.headIs(b.t, b.head()) })
}

// play lets the chain grow and reorg, and waits for the follower each time.
func (b *backups) play() (head int) {
	b.t.Helper()
	for range 30 {
		b.change()
		b.await()
	}
	return b.head()
}

// kill kills a process.
func (b *backups) kill(process *exec.Cmd, ended <-chan error) {
	b.t.Helper()
	expect.NoError(b.t, process.Process.Signal(syscall.SIGKILL))
	<-ended
}

// indexed returns the last indexed block of a database.
func (b *backups) indexed(dsn string) (head int) {
	b.t.Helper()
	driver := "sqlite3"
	if strings.HasPrefix(dsn, "postgres") {
		driver = "pgx"
	}
	db, err := sql.Open(driver, dsn)
	expect.NoError(b.t, err)
	defer db.Close()
	expect.NoError(b.t, db.QueryRowContext(b.t.Context(), "SELECT max(to_block) FROM coverage WHERE kind = 'indexed'").Scan(&head))
	return head
}

// goOn orphans the last blocks of a restored database, which must contain the blocks up to
// copied. It runs the documented commands that update the database, then a follower. At the
// end the database must equal a fresh sync.
func (b *backups) goOn(dsn string, copied int) {
	b.t.Helper()
	restored := b.indexed(dsn)
	b.t.Logf("restored up to block %d of %d", restored, b.head())
	if restored < copied || restored > b.head() {
		b.t.Errorf("restored up to block %d, want %d to %d", restored, copied, b.head())
	}
	away := b.head() - restored
	b.node.Reorg(away + 2)
	b.mine(away + 10)
	b.must(b.in("", b.documented("sh restored", "restored.db", "'"+dsn+"'")), false)
	b.follow(dsn)
	b.t.Logf("the follower: %s", b.follower.output)
	b.play()
	b.compareFresh()
}

// replica is a Litestream that copies a database.
type replica struct {
	*backups
	// to contains the copy, folder contains the database called name.
	to, folder, name string
	process          *exec.Cmd
	ended            chan error
}

// start runs Litestream until stop.
func (r *replica) start() {
	r.t.Helper()
	r.process = r.in(r.folder, "exec "+r.documented("sh litestream", "/mnt/backup", r.to, "replicate chain.db", "replicate "+r.name))
	r.ended = make(chan error, 1)
	expect.NoError(r.t, r.process.Start())
	go func() { r.ended <- r.process.Wait() }()
}

func (r *replica) stop() { r.kill(r.process, r.ended) }

// restore returns the documented command that restores the copy.
func (r *replica) restore() string {
	return r.documented("sh litestream restore", "/mnt/backup", r.to)
}

// awaitCopy waits until the copy contains all blocks, and returns the last one.
func (r *replica) awaitCopy() (head int) {
	r.t.Helper()
	head = r.head()
	until(r.t, func() bool {
		trial := r.t.TempDir()
		return r.in(trial, r.restore()).Run() == nil && r.indexed(filepath.Join(trial, "restored.db")) == head
	})
	return head
}

// log returns the header of SQLite's write-ahead log, which changes each time SQLite restarts
// the log.
func (r *replica) log() string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.folder, r.name+"-wal"))
	expect.NoError(r.t, err)
	return string(text[:32])
}

// TestBackups_Litestream twice loses the disk of a follower and Litestream, and continues from
// the copy. Before each loss, Litestream is stopped and misses a part of SQLite's log.
func TestBackups_Litestream(t *testing.T) {
	b := newBackups(t, "litestream")
	r := &replica{backups: b, to: t.TempDir(), folder: t.TempDir(), name: "chain.db"}
	b.follow(filepath.Join(r.folder, r.name))
	for range 2 {
		r.start()
		b.play()
		r.awaitCopy()
		r.stop()
		before := r.log()
		b.play()
		if r.log() == before {
			t.Error("SQLite did not restart its log")
		}
		r.start()
		r.awaitCopy()
		b.play()
		copied := r.awaitCopy()
		b.change()
		b.await()
		b.kill(b.process, b.ended)
		r.stop()
		expect.NoError(t, os.RemoveAll(r.folder))
		r.folder, r.name = t.TempDir(), "restored.db"
		b.must(b.in(r.folder, r.restore()), false)
		b.goOn(filepath.Join(r.folder, r.name), copied)
	}
	b.kill(b.process, b.ended)
}

// TestBackups_PgBackRest loses the disk of PostgreSQL, and continues from the archive.
func TestBackups_PgBackRest(t *testing.T) {
	b := newBackups(t, "pgbackrest")
	s := pgtest.NewServer(t)
	folder := filepath.Dir(s.Data())
	settings := filepath.Join(folder, "pgbackrest.conf")
	run := func(info string, changing bool) {
		t.Helper()
		b.must(s.Command("sh", "-ec", b.documented(info, "pgbackrest ", "pgbackrest --config="+settings+" ")), changing)
	}
	configure := func() {
		t.Helper()
		text := b.documented("ini pgbackrest.conf", "/mnt/backup", folder+"/backup", "/var/lib/postgresql/15/main", s.Data())
		port := s.DSN[strings.LastIndex(s.DSN, ":")+1 : strings.LastIndex(s.DSN, "/")]
		text += fmt.Sprintf("pg1-port=%s\npg1-socket-path=%s\npg1-user=mintburn\n[global]\nlock-path=%s\nlog-level-file=off\n", port, folder, folder)
		expect.NoError(t, os.WriteFile(settings, []byte(text), 0o644))
	}
	configure()
	file, err := os.OpenFile(filepath.Join(s.Data(), "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	expect.NoError(t, err)
	_, err = file.WriteString(b.documented("ini postgresql.conf", "pgbackrest ", "pgbackrest --config="+settings+" ", "60s", "1s"))
	expect.NoError(t, err)
	expect.NoError(t, file.Close())
	s.Stop(false)
	s.Start()
	b.admin, err = sql.Open("pgx", s.DSN)
	expect.NoError(t, err)
	t.Cleanup(func() { _ = b.admin.Close() })
	b.follow(s.DSN)
	run("sh pgbackrest", true)
	copied := b.play()
	var last string
	expect.NoError(t, b.admin.QueryRowContext(t.Context(), "SELECT pg_walfile_name(pg_current_wal_insert_lsn())").Scan(&last))
	until(t, func() (archived bool) {
		expect.NoError(t, b.admin.QueryRowContext(t.Context(), "SELECT coalesce(last_archived_wal >= $1, false) FROM pg_stat_archiver", last).Scan(&archived))
		return archived
	})
	b.change()
	b.await()
	b.kill(b.process, b.ended)
	s.Lose()
	configure()
	run("sh pgbackrest restore", false)
	s.Start()
	until(t, func() (writes bool) {
		err := b.admin.QueryRowContext(t.Context(), "SELECT NOT pg_is_in_recovery()").Scan(&writes)
		return err == nil && writes
	})
	b.goOn(s.DSN, copied)
	b.kill(b.process, b.ended)
}
