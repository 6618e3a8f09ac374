package database

import (
	"errors"
	"syscall"
	"time"
)

// userTimeout is TCP_USER_TIMEOUT from tcp(7), which syscall does not define on all architectures.
const userTimeout = 0x12

// LimitUnacknowledged bounds how long sent data may stay unacknowledged.
func LimitUnacknowledged(conn syscall.RawConn, limit time.Duration) error {
	var failed error
	err := conn.Control(func(socket uintptr) {
		failed = syscall.SetsockoptInt(int(socket), syscall.IPPROTO_TCP, userTimeout, int(limit.Milliseconds()))
	})
	return errors.Join(err, failed)
}
