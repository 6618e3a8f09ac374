package metadata

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// MaxHeaders bounds a file of gateway headers in bytes.
const MaxHeaders = 64 << 10

// GatewayHeader is a header of the requests to a gateway.
type GatewayHeader struct {
	// Host is the gateway's host, with its port if its URL has one.
	Host        string
	Name, Value string
	// Line is the line of the file, for errors, which never repeat lines.
	Line int
}

var headerName = regexp.MustCompile("^[0-9A-Za-z!#$%&'*+.^_`|~-]+$")

// reservedHeaders are set by the program, or by net/http.
var reservedHeaders = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// ParseHeaders reads a file of gateway headers. Each line is HOST NAME VALUE; the value may
// contain spaces. Lines that are empty or begin with # are comments. ParseHeaders fails for
// more than [MaxHeaders] bytes. Errors name lines and never repeat them, because a line
// contains secrets.
func ParseHeaders(text []byte) (headers []GatewayHeader, err error) {
	if len(text) > MaxHeaders {
		return nil, fmt.Errorf("want at most %d bytes", MaxHeaders)
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		host, rest := cutField(string(line))
		name, value := cutField(rest)
		h := GatewayHeader{strings.ToLower(strings.TrimRight(host, ",")), http.CanonicalHeaderKey(strings.TrimRight(name, ",:")), value, number}
		switch {
		case host == "" || host[0] == '#':
			continue
		case value == "":
			err = errors.New("want HOST NAME VALUE")
		case !headerName.MatchString(h.Name) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F }):
			err = errors.New("want the name and the value of an HTTP header")
		case slices.Contains(reservedHeaders, h.Name):
			err = errors.New("the header is set by the program: want another name")
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		headers = append(headers, h)
	}
	return headers, nil
}

// cutField returns the first field of a line, and the rest without white space around it.
func cutField(line string) (field, rest string) {
	line = strings.TrimSpace(line)
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		return line[:i], strings.TrimSpace(line[i:])
	}
	return line, ""
}

// setHeaders gives gateways their headers. It fails for a host that no gateway has.
func setHeaders(headers []GatewayHeader, lists ...gateways) error {
	for _, h := range headers {
		known := false
		for _, g := range slices.Concat(lists...) {
			if !strings.EqualFold(g.host, h.Host) {
				continue
			}
			known, g.secret = true, "headers"
			if g.headers == nil {
				g.headers = http.Header{}
			}
			g.headers.Add(h.Name, h.Value)
		}
		if !known {
			return fmt.Errorf("line %d: no gateway has this host: want the host and port of a gateway's URL", h.Line)
		}
	}
	return nil
}
