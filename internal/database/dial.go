package database

import (
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A connection to PostgreSQL fails when sent data or keepalives stay unacknowledged for
// readSilence or writeSilence. By default TCP would wait a quarter of an hour for a lost
// network, and resume up to two minutes after its return. readSilence is short enough that
// a read also finds out that no new connection can be opened. writeSilence is longer
// because a busy PostgreSQL may accept no data for some seconds while its buffer is full.
const (
	readSilence  = 5 * time.Second
	writeSilence = 15 * time.Second
)

// limitSilence makes connections fail once the peer has been silent for this long.
func limitSilence(config *pgx.ConnConfig, silence time.Duration) {
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 2, Interval: time.Second, Count: int(silence/time.Second+1) / 2},
		Control: func(network, _ string, conn syscall.RawConn) error {
			if !strings.HasPrefix(network, "tcp") {
				return nil
			}
			return LimitUnacknowledged(conn, silence)
		},
	}
	config.DialFunc = dialer.DialContext
}

// noticeLostClients makes PostgreSQL end the session and transaction of a client that lost
// its network 25 s ago, unless the address has its own settings. The default is two hours,
// during which the client's snapshots keep VACUUM from removing rows and its connections
// count towards the limit.
func noticeLostClients(config *pgx.ConnConfig) {
	for name, value := range map[string]string{
		"tcp_user_timeout": "25s", "tcp_keepalives_idle": "10s", "tcp_keepalives_interval": "5s", "tcp_keepalives_count": "3",
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
}
