package metadata

import (
	"context"
	"net/netip"
	"slices"
	"syscall"
)

// prefixes parses a list of address ranges.
func prefixes(list ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(list))
	for i, text := range list {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}

var (
	// private lists the ranges of private networks (RFC 1918, RFC 4193, RFC 6598) and
	// loopback.
	private = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7")
	// cloudMetadata lists the addresses, apart from link-local ones, at which clouds
	// serve credentials or settings to their machines: those of Alibaba, Azure, Amazon
	// and Google.
	cloudMetadata = prefixes("100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::/32", "fd20:ce::/32")
	// special lists the IPv4 ranges that do not address a single host on the internet
	// (IANA IPv4 Special-Purpose Address Registry, RFC 6890): this network,
	// link-local, protocol assignments, documentation, benchmarks, 6to4 relays,
	// multicast, and reserved addresses with broadcast.
	special = prefixes("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
		"198.18.0.0/15", "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4")
	// global is the IPv6 global unicast range (RFC 4291, section 2.4). special6 lists
	// the ranges in it that do not address hosts: protocol assignments with Teredo,
	// documentation, and 6to4.
	global   = prefixes("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16")
	// nat64 addresses hold an IPv4 address in their last 4 bytes (RFC 6052).
	nat64 = prefixes("64:ff9b::/96")
)

func inAny(address netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(address) })
}

// denyReason returns why connections to an address are denied, or "" if they are
// allowed. IPv6 addresses are denied unless they are known to be public. An IPv4 address
// that is embedded in an IPv6 address is checked as IPv4.
func denyReason(address netip.Addr, allowPrivate bool) string {
	address = address.WithZone("").Unmap()
	if inAny(address, nat64) {
		bytes := address.As16()
		address = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	switch {
	case inAny(address, cloudMetadata):
		return "a cloud metadata address"
	case inAny(address, private):
		if allowPrivate {
			return ""
		}
		return "a private or loopback address"
	case address.Is4() && inAny(address, special),
		!address.Is4() && (!inAny(address, global) || inAny(address, special6)):
		return "no public address"
	}
	return ""
}

// toGateway marks the context of a connection to a gateway that the operator configured, which
// may have a private address.
type toGateway struct{}

// guard returns a function for [net.Dialer.ControlContext] that fails for denied addresses.
// The dialer calls it after name resolution, right before it connects, so the checked
// address is the one that is used.
func guard(allowPrivate bool) func(ctx context.Context, network, address string, _ syscall.RawConn) error {
	return func(ctx context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return permanent("the host's address cannot be read")
		}
		if why := denyReason(to.Addr(), allowPrivate || ctx.Value(toGateway{}) != nil); why != "" {
			return permanent("refused: the host has %s", why)
		}
		return nil
	}
}
