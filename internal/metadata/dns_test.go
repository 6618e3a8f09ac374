package metadata_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"testing"

	"mintburn/internal/testing/expect"
)

// nameServer starts a name server and returns a resolver that uses it. The server answers each
// query, for any name, with the next of the addresses, and repeats the last one. Without
// addresses, no name exists.
func nameServer(t testing.TB, addresses ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	expect.NoError(t, err)
	var serving sync.WaitGroup
	t.Cleanup(func() {
		conn.Close()
		serving.Wait()
	})
	serving.Go(func() {
		asked := 0
		query := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(query)
			if err != nil {
				return
			}
			var address netip.Addr
			if len(addresses) > 0 {
				address = netip.MustParseAddr(addresses[min(asked, len(addresses)-1)])
			}
			answer, answers := dnsAnswer(query[:n], address)
			if answers {
				asked++
			}
			conn.WriteTo(answer, from)
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// dnsAnswer answers a query with one question (RFC 1035, section 4). The answer contains the
// address if the query asks for its record type (A or AAAA), and is empty otherwise. If address
// is zero, the answer is that the name does not exist. answers reports whether the answer
// contains the address.
func dnsAnswer(query []byte, address netip.Addr) (answer []byte, answers bool) {
	end := 12 + bytes.IndexByte(query[12:], 0) + 5
	answer = append(answer, query[:end]...)
	binary.BigEndian.PutUint16(answer[2:], 0x8180)
	copy(answer[4:], []byte{0, 1, 0, 0, 0, 0, 0, 0})
	if !address.IsValid() {
		answer[3] |= 3
		return answer, false
	}
	kind := binary.BigEndian.Uint16(query[end-4:])
	if (kind == 1) != address.Is4() || kind != 1 && kind != 28 {
		return answer, false
	}
	answer[7] = 1
	data := address.AsSlice()
	answer = append(answer, 0xC0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(data)))
	return append(answer, data...), true
}
