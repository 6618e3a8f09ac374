package metadata

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
	"unicode"
)

// maxReason and maxAfter bound the text, in bytes, and the time that a server can
// put into a [Failure].
const (
	maxReason = 300
	maxAfter  = 24 * time.Hour
)

// Failure says why there is no document. It is an error.
type Failure struct {
	// Reason is one short line of valid UTF-8 without control characters. It
	// tells nothing of the network that the program runs in: no address that a
	// name resolved to, and none of a resolver.
	Reason string
	// Temporary says that another try may succeed: limits, timeouts, broken
	// connections and errors of a server. Other failures may pass as well, because
	// documents change, but not soon.
	Temporary bool
	// After is the time until the next try that the server asked for, at most a
	// day, or the rest of a slow collection's rest; else 0.
	After time.Duration
	// timedOut says that the time ran out, resting that nothing was tried.
	timedOut, resting bool
}

// Error returns the reason.
func (f *Failure) Error() string { return f.Reason }

func permanent(format string, args ...any) *Failure {
	return &Failure{Reason: oneLine(fmt.Sprintf(format, args...))}
}

func temporary(format string, args ...any) *Failure {
	return &Failure{Reason: oneLine(fmt.Sprintf(format, args...)), Temporary: true}
}

// failureOf returns the failure for an error of package net/http, in a request with
// a time limit.
func failureOf(err error, limit time.Duration) *Failure {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Reason: fmt.Sprintf("no whole answer within %s", limit), Temporary: true, timedOut: true}
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return permanent("the host does not exist")
		}
		return temporary("the host's address could not be looked up")
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return permanent("certificate: %v", certificate.Err)
	}
	// Its own text has the addresses of both ends.
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return temporary("connection: %v", op.Err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return temporary("the connection ended before the answer did")
	}
	return temporary("%v", err)
}

// oneLine makes text from outside fit for a reason.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

// at returns the failure with the host that it came from.
func (f *Failure) at(host string) *Failure {
	named := *f
	named.Reason = oneLine(host + ": " + f.Reason)
	return &named
}

// and joins the failures of two hosts for the same content; f may be nil. The
// result is temporary if one of them is, and the shorter After counts.
func (f *Failure) and(other *Failure) *Failure {
	if f == nil {
		return other
	}
	both := &Failure{
		Reason:    oneLine(f.Reason + "; " + other.Reason),
		Temporary: f.Temporary || other.Temporary,
		timedOut:  f.timedOut || other.timedOut,
	}
	if f.After > 0 && other.After > 0 {
		both.After = min(f.After, other.After)
	}
	return both
}
