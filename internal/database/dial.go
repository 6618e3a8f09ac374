package database

import (
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A connection to PostgreSQL fails when nothing that was sent, keepalives included, has
// been acknowledged for readSilence or writeSilence: otherwise a read or write would wait
// for a lost network for a quarter of an hour, and go on up to two minutes after its
// return. Reads then have time to find that no new connection opens. For writes,
// PostgreSQL that is busy may take nothing from a full connection for some seconds.
const (
	readSilence  = 5 * time.Second
	writeSilence = 15 * time.Second
)

// limitSilence makes connections fail after such a silence.
func limitSilence(config *pgx.ConnConfig, silence time.Duration) {
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: time.Second, Count: int(silence/time.Second+1) / 2},
		Control: func(network, _ string, conn syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			return limitUnacknowledged(conn, silence)
		},
	}
	config.DialFunc = dialer.DialContext
}

// noticeLostClients makes PostgreSQL end the session, and the transaction, of a machine
// that was cut off, 25 s later unless the address says otherwise. By default that takes
// two hours, in which its snapshots keep VACUUM from removing rows and its connections
// count.
func noticeLostClients(config *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"tcp_user_timeout": "25s", "tcp_keepalives_idle": "10s", "tcp_keepalives_interval": "5s", "tcp_keepalives_count": "3",
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
}
