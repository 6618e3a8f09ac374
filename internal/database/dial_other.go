//go:build !linux

package database

import (
	"syscall"
	"time"
)

// LimitUnacknowledged does nothing on this system. Keepalives still detect a lost
// connection, except while sent data waits for an acknowledgement.
func LimitUnacknowledged(syscall.RawConn, time.Duration) error { return nil }
