package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mintburn/internal/testing/chaintest"
)

// Cluster is a PostgreSQL cluster of three nodes. Patroni elects the primary through etcd;
// if the primary is lost, another node replaces it once its lock of 20 s has expired.
type Cluster struct {
	// DSN is a postgres:// URL of an empty database that names all nodes and finds the
	// primary.
	DSN string

	t     testing.TB
	nodes []*server
}

// patroni is the configuration of a node. Its arguments are the node's name, the ports of
// its REST API and of etcd, the folder of the server's programs, the server's port, the
// folder of the cluster, and the folder of the socket and passwords. Because replication is
// synchronous, no commit is lost with a node.
const patroni = `scope: test
name: %s
restapi: {listen: '127.0.0.1:%[2]d', connect_address: '127.0.0.1:%[2]d'}
etcd3: {host: '127.0.0.1:%[3]d'}
bootstrap:
  dcs: {ttl: 20, loop_wait: 5, retry_timeout: 5, synchronous_mode: true}
  initdb: [encoding: UTF8, locale: C, auth: trust, no-sync]
postgresql:
  bin_dir: %[4]s
  listen: 127.0.0.1:%[5]d
  connect_address: 127.0.0.1:%[5]d
  data_dir: %[6]s
  pgpass: %[7]s/pgpass
  authentication:
    superuser: {username: mintburn}
    replication: {username: replicator}
  parameters: {unix_socket_directories: '%[7]s', fsync: 'off', wal_retrieve_retry_interval: 100ms}
  pg_hba: [local all all trust, host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust]
`

// NewCluster starts a cluster that ends with the test. If Patroni or etcd is not
// installed, the test is skipped, or fails if MINTBURN_REQUIRE_ALL is set.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	programs := map[string]string{}
	for _, name := range []string{"etcd", "patroni"} {
		path, err := exec.LookPath(name)
		if err != nil {
			chaintest.Absent(t, err.Error())
		}
		programs[name] = path
	}
	etcd := prepared(t).server
	peers, err := freePort()
	must(t, err)
	clients, peer := fmt.Sprintf("http://127.0.0.1:%d", etcd.port), fmt.Sprintf("http://127.0.0.1:%d", peers)
	must(t, etcd.supervise("TERM", programs["etcd"], "--data-dir", etcd.data, "--listen-client-urls", clients, "--advertise-client-urls", clients,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "default="+peer))
	t.Cleanup(etcd.stop)
	c := &Cluster{t: t}
	var hosts []string
	for i := range 3 {
		node := prepared(t).server
		api, err := freePort()
		must(t, err)
		settings := filepath.Join(node.dir, "patroni.yml")
		must(t, os.WriteFile(settings, fmt.Appendf(nil, patroni, fmt.Sprint("node", i), api, etcd.port, node.bin, node.port, node.data, node.dir), 0o644))
		must(t, node.supervise("TERM", programs["patroni"], settings))
		t.Cleanup(node.stop)
		c.nodes = append(c.nodes, node)
		hosts = append(hosts, net.JoinHostPort("127.0.0.1", fmt.Sprint(node.port)))
	}
	c.DSN = "postgres://mintburn@" + strings.Join(hosts, ",") + "/postgres?sslmode=disable&target_session_attrs=read-write"
	c.await("SELECT count(*) = 2 AND bool_or(sync_state = 'sync') FROM pg_stat_replication WHERE state = 'streaming'")
	db, err := sql.Open("pgx", c.DSN)
	must(t, err)
	_, err = db.ExecContext(t.Context(), "CREATE DATABASE test")
	must(t, errors.Join(err, db.Close()))
	// A client tries one node after the other, and fails at the first without the database.
	c.await("SELECT bool_and(replay_lsn >= pg_current_wal_lsn()) FROM pg_stat_replication")
	c.DSN = strings.Replace(c.DSN, "/postgres?", "/test?", 1)
	return c
}

// await waits at most two minutes until a condition holds on the primary.
func (c *Cluster) await(condition string) {
	c.t.Helper()
	must(c.t, await(c.t.Context(), c.DSN, condition))
}

// await waits at most two minutes until a condition holds.
func await(ctx context.Context, dsn, condition string) error {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	tick, limit := time.NewTicker(100*time.Millisecond), time.After(2*time.Minute)
	defer tick.Stop()
	for {
		var holds sql.NullBool
		err := db.QueryRowContext(ctx, condition).Scan(&holds)
		if holds.Bool {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit:
			return fmt.Errorf("%s does not hold: %w", condition, errors.Join(errors.New("too late"), err))
		}
	}
}

// KillPrimary kills all processes of the primary's node.
func (c *Cluster) KillPrimary() {
	c.t.Helper()
	for _, node := range c.nodes {
		db, err := sql.Open("pgx", node.dsn("postgres"))
		must(c.t, err)
		standby := true
		must(c.t, errors.Join(db.QueryRowContext(c.t.Context(), "SELECT pg_is_in_recovery()").Scan(&standby), db.Close()))
		if standby {
			continue
		}
		postmaster, err := node.postmaster()
		must(c.t, err)
		// Patroni and its supervisor are a process group. PostgreSQL's processes end with the
		// postmaster.
		must(c.t, syscall.Kill(-node.group, syscall.SIGKILL))
		must(c.t, syscall.Kill(postmaster, syscall.SIGKILL))
		return
	}
	c.t.Fatal("no node is the primary")
}
