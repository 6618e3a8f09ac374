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

	"mintburn/internal/evm"
)

// maxReason bounds the text of a [Failure] in bytes, and maxAfter the delay that a server
// can ask for.
const (
	maxReason = 300
	maxAfter  = 24 * time.Hour
)

// Failure is the error of a document that could not be fetched or read.
type Failure struct {
	// Reason is one short printable line, see [evm.Printable]. It
	// reveals nothing about the program's network: neither the address that a name
	// resolved to nor that of a resolver.
	Reason string
	// Temporary is set if another attempt may soon succeed: for limits, timeouts, broken
	// connections and server errors. Other failures last until the document changes.
	Temporary bool
	// After is the delay before the next attempt that the server asked for, at most a
	// day, or the time for which a host or a slow collection is still skipped. Otherwise it
	// is 0.
	After time.Duration
	// timedOut is set after a timeout, skipped if no attempt was made, busy if that is because
	// too many others wait for the host, and absent if the host may not have the document yet.
	timedOut, skipped, busy, absent bool
	// picture is the document of a token whose URI leads to a picture, if it has no other.
	picture string
}

// Error returns the reason.
func (f *Failure) Error() string { return f.Reason }

func permanent(format string, args ...any) *Failure {
	return &Failure{Reason: oneLine(fmt.Sprintf(format, args...))}
}

func temporary(format string, args ...any) *Failure {
	return &Failure{Reason: oneLine(fmt.Sprintf(format, args...)), Temporary: true}
}

// failureOf returns the failure for an error from net/http. limit is the time limit of the
// request.
func failureOf(err error, limit time.Duration) *Failure {
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Reason: fmt.Sprintf("no complete answer within %s", limit), Temporary: true, timedOut: true}
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
	// The text of the OpError itself contains the addresses of both ends.
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return temporary("connection: %v", op.Err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return temporary("the connection closed before the answer was complete")
	}
	return temporary("%v", err)
}

// oneLine turns untrusted text into a valid [Failure.Reason].
func oneLine(text string) string {
	if text = evm.Printable(text); len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

// at returns a copy of the failure whose reason names the host.
func (f *Failure) at(host string) *Failure {
	named := *f
	named.Reason = oneLine(host + ": " + f.Reason)
	return &named
}

// and joins the failures of two hosts for the same content; f may be nil. The
// result is temporary if one of them is. Its After is the shorter one.
func (f *Failure) and(other *Failure) *Failure {
	if f == nil {
		return other
	}
	both := &Failure{
		Reason:    oneLine(f.Reason + "; " + other.Reason),
		Temporary: f.Temporary || other.Temporary,
		timedOut:  f.timedOut || other.timedOut,
		skipped:   f.skipped && other.skipped,
		absent:    f.absent || other.absent,
	}
	if f.After > 0 && other.After > 0 {
		both.After = min(f.After, other.After)
	}
	return both
}
