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

// maxReason and maxAfter bound what a server can make of a [Failure]: bytes of
// text, and time.
const (
	maxReason = 300
	maxAfter  = 24 * time.Hour
)

// Failure is why there is no document. It is an error.
type Failure struct {
	// Reason is one short line of valid UTF-8 without control characters. It
	// tells nothing of the network that the program runs in: no address that a
	// name resolved to, and none of a resolver.
	Reason string
	// Temporary says that another try may well do better: limits, timeouts,
	// broken connections and errors of a server. What is not temporary may
	// still change, since documents do, but not soon.
	Temporary bool
	// After is how long the server asked to be left alone, at most a day, or how
	// long the collection of a document that was not tried still rests; 0 where
	// neither is so.
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

// failureOf says what an error of package net/http means, that of a request
// whose time was limited to limit.
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

// at says at which of several hosts a failure was.
func (f *Failure) at(host string) *Failure {
	named := *f
	named.Reason = oneLine(host + ": " + f.Reason)
	return &named
}

// and returns what two hosts said about the same content; f may be nil. It may
// be had later if one of them says so, and then at the time that is sooner.
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
