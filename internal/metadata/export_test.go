package metadata

import (
	"context"
	"net"
	"net/netip"
	"time"

	"mintburn/internal/evm"
)

// DenyReason calls denyReason.
func DenyReason(address netip.Addr, allowPrivate bool) string {
	return denyReason(address, allowPrivate)
}

// Dial makes a fetcher use a function for all its connections.
func Dial(f *Fetcher, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	f.transport.DialContext = dial
}

// Reroute makes a fetcher connect to the address to instead of from. Recorded URLs name an
// address that may not be free.
func Reroute(f *Fetcher, from, to string) {
	dial := f.transport.DialContext
	f.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == from {
			address = to
		}
		return dial(ctx, network, address)
	}
}

// Sources returns the URLs from which a fetcher would fetch a document.
func Sources(f *Fetcher, uri string) ([]string, error) {
	sources, err := f.sources(uri)
	var urls []string
	for _, source := range sources {
		urls = append(urls, source.String())
	}
	return urls, err
}

// Slowness exports slowness.
type Slowness struct{ slowness }

// Admit calls admit.
func (s *Slowness) Admit(contract evm.Address, now time.Time) error { return s.admit(contract, now) }

// Note calls note.
func (s *Slowness) Note(contract evm.Address, now time.Time, isSlow bool) {
	s.note(contract, now, isSlow)
}

// Hosts returns the number of hosts that a fetcher tracks.
func Hosts(f *Fetcher) int {
	f.hosts.mu.Lock()
	defer f.hosts.mu.Unlock()
	return len(f.hosts.byName)
}
