package metadata

import (
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
	// private are the ranges of private networks (RFC 1918, RFC 4193, RFC 6598) and
	// loopback.
	private = prefixes("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "::1/128", "fc00::/7")
	// cloudMetadata are addresses, beside the link-local ones, at which clouds
	// give their machines credentials or settings: Alibaba's, Azure's, Amazon's
	// and Google's.
	cloudMetadata = prefixes("100.100.100.200/32", "168.63.129.16/32", "fd00:ec2::/32", "fd20:ce::/32")
	// special are the ranges of IPv4 that are no single host on the internet
	// (IANA IPv4 Special-Purpose Address Registry, RFC 6890): this network,
	// link-local, protocol assignments, documentation, benchmarks, the relays
	// of 6to4, multicast, and reserved with broadcast.
	special = prefixes("0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",
		"198.18.0.0/15", "192.88.99.0/24", "224.0.0.0/4", "240.0.0.0/4")
	// global is all of IPv6 that is handed out to hosts (RFC 4291, section
	// 2.4), and special6 what is not for them: protocol assignments with
	// Teredo, documentation, and 6to4.
	global   = prefixes("2000::/3")
	special6 = prefixes("2001::/23", "2001:db8::/32", "3fff::/20", "2002::/16")
	// nat64 holds an IPv4 address in its last 4 bytes (RFC 6052).
	nat64 = prefixes("64:ff9b::/96")
)

func inAny(address netip.Addr, ranges []netip.Prefix) bool {
	return slices.ContainsFunc(ranges, func(r netip.Prefix) bool { return r.Contains(address) })
}

// denyReason returns why no connection to an address is allowed, or "". IPv6 is
// denied unless it is known to be good; an IPv4 address within one counts as
// itself.
func denyReason(address netip.Addr, allowPrivate bool) string {
	address = address.WithZone("").Unmap()
	if inAny(address, nat64) {
		bytes := address.As16()
		address = netip.AddrFrom4([4]byte(bytes[12:]))
	}
	switch {
	case inAny(address, cloudMetadata):
		return "the address of a cloud's metadata service"
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

// guard returns a function for [net.Dialer.Control], which gets each address after
// all names are resolved, right before the connection: there is no time between
// check and use.
func guard(allowPrivate bool) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return permanent("the host's address cannot be read")
		}
		if why := denyReason(to.Addr(), allowPrivate); why != "" {
			return permanent("refused: the host has %s", why)
		}
		return nil
	}
}
