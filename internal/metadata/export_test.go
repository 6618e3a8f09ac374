package metadata

import (
	"context"
	"net"
	"net/netip"
	"time"

	"mintburn/internal/evm"
)

// DenyReason is denyReason.
func DenyReason(address netip.Addr, allowPrivate bool) string {
	return denyReason(address, allowPrivate)
}

// Dial makes a fetcher connect by a function, whatever the host.
func Dial(f *Fetcher, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	f.transport.DialContext = dial
}

// Reroute makes a fetcher connect to one address in place of another, where
// recorded URLs name an address that is not free.
func Reroute(f *Fetcher, from, to string) {
	dial := f.transport.DialContext
	f.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == from {
			address = to
		}
		return dial(ctx, network, address)
	}
}

// Sources returns the URLs at which a fetcher looks for a document.
func Sources(f *Fetcher, uri string) ([]string, error) {
	sources, err := f.sources(uri)
	var urls []string
	for _, source := range sources {
		urls = append(urls, source.String())
	}
	return urls, err
}

// Slowness are the collections that were slow.
type Slowness struct{ slowness }

// Admit is admit.
func (s *Slowness) Admit(contract evm.Address, now time.Time) error { return s.admit(contract, now) }

// Note is note.
func (s *Slowness) Note(contract evm.Address, now time.Time, isSlow bool) {
	s.note(contract, now, isSlow)
}

// Hosts returns how many hosts a fetcher remembers.
func Hosts(f *Fetcher) int {
	f.hosts.mu.Lock()
	defer f.hosts.mu.Unlock()
	return len(f.hosts.byName)
}
