package metadata

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// maxURL is the maximum length in bytes of a URI other than a data: URI.
const maxURL = 8192

// cid matches an IPFS content identifier of version 0, or of version 1 in the bases of
// gateways.
const cid = `(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{50,}|B[A-Z2-7]{50,}|k[0-9a-z]{50,}|z[1-9A-HJ-NP-Za-km-z]{46,}|f01[0-9a-f]{50,})`

// The first segment after ipfs:, ipns: and ar: names the content. These patterns only check
// its characters; gateways check the rest.
var (
	ipfsName    = regexp.MustCompile(`^[0-9A-Za-z]{1,128}$`)
	ipnsName    = regexp.MustCompile(`^[0-9A-Za-z_.-]{1,255}$`)
	arweaveName = regexp.MustCompile(`^[0-9A-Za-z_-]{1,128}$`)
	// bareCID matches IPFS content without a scheme: a path below /ipfs/ or /ipns/, or a CID.
	bareCID = regexp.MustCompile(`^(/?ip[fn]s/.+|` + cid + `(/.*)?)$`)
	// pathCID and hostCID match the path and the host of a gateway's URL of content with a
	// CID.
	pathCID = regexp.MustCompile(`/(ip[fn]s/` + cid + `(/.*)?)$`)
	hostCID = regexp.MustCompile(`^(` + cid + `)\.(ip[fn]s)\.`)
	// arweaveHost matches the hosts of public Arweave gateways, with the subdomains that keep
	// contents apart, and arweavePath the path of content at them.
	arweaveHost = regexp.MustCompile(`^(.+\.)?(arweave\.net|arweave\.dev|ar-io\.net)$`)
	arweavePath = regexp.MustCompile(`^/([0-9A-Za-z_-]{43}(/.*)?)$`)

	userinfo  = regexp.MustCompile(`//.*@`)
	anyScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]{0,30}$`)
)

// gateway is a gateway that the operator configured.
type gateway struct {
	// base is a URL that ends with a slash, to which the name of content is appended, and host
	// is its host. query follows the name.
	base, host, query string
	headers           http.Header
	// secret is the part of requests that may contain a key: the path, query or headers. It
	// is empty if the gateway may be published.
	secret string
}

// gateways holds the gateways for one kind of content, in the order of the attempts.
type gateways []*gateway

// source is a URL of a document. gateway is nil if the URL comes from the token.
type source struct {
	*url.URL
	gateway *gateway
}

// isAt reports whether a URL is at the gateway of s.
func (s source) isAt(u *url.URL) bool {
	return s.gateway != nil && u.Scheme == s.Scheme && u.Host == s.Host
}

// parseGateways checks gateway URLs. It appends path to a URL without one.
func parseGateways(list []string, path string) (gateways, error) {
	parsed := make(gateways, len(list))
	for i, text := range list {
		u, err := parseURL(text)
		if err != nil {
			// Neither a password nor the query, which may be a key.
			shown, _, _ := strings.Cut(text, "?")
			shown = userinfo.ReplaceAllString(shown, "//hidden@")
			return nil, fmt.Errorf("gateway %q: %w: want an http or https URL to which a content name can be appended", shown, err)
		}
		g := &gateway{host: u.Host, query: u.RawQuery}
		u.RawQuery, u.ForceQuery = "", false
		g.base = strings.TrimRight(u.String(), "/")
		switch own := strings.Trim(u.Path, "/"); {
		case own == "":
			g.base += path
		default:
			g.base += "/"
			if "/"+own+"/" != path {
				g.secret = "path"
			}
		}
		if g.query != "" {
			g.secret = "query"
		}
		parsed[i] = g
	}
	return parsed, nil
}

// Gateways returns the gateway URLs that may be published, each with a final slash. It
// leaves out URLs with a path other than /ipfs/ or /, with a query, or with headers, because
// each may contain a key.
func (f *Fetcher) Gateways() (ipfs, arweave []string) {
	return f.ipfs.public(), f.arweave.public()
}

// public returns the gateways that may be published. The result is never nil.
func (g gateways) public() []string {
	list := []string{}
	for _, one := range g {
		if one.secret == "" {
			list = append(list, one.base)
		}
	}
	return list
}

// sources returns the http or https URLs of the document of a URI, at least one, in the
// order of the attempts.
func (f *Fetcher) sources(uri string) ([]source, error) {
	if len(uri) > maxURL {
		return nil, permanent("the URI is longer than %d bytes", maxURL)
	}
	scheme, rest, _ := strings.Cut(uri, ":")
	scheme = strings.ToLower(scheme)
	switch {
	case bareCID.MatchString(uri):
		return f.content("ipfs", uri)
	case scheme == "ipfs" || scheme == "ipns":
		return f.content(scheme, rest)
	case scheme == "ar":
		return f.arweave.sources(strings.TrimLeft(rest, "/"), arweaveName)
	case scheme == "http" || scheme == "https":
		u, err := parseURL(uri)
		if err != nil {
			return nil, permanent("%v", err)
		}
		copies := f.copies(u)
		if slices.ContainsFunc(copies, func(s source) bool { return s.String() == u.String() }) {
			return copies, nil
		}
		return append([]source{{URL: u}}, copies...), nil
	case uri == "":
		return nil, permanent("the URI is empty")
	case len(scheme) < len(uri) && anyScheme.MatchString(scheme):
		return nil, permanent("refused: a URI of the scheme %s", scheme)
	default:
		return nil, permanent("%q is not a URI with a scheme", oneLine(uri[:min(len(uri), 100)]))
	}
}

// content returns the URLs of a path in a namespace, ipfs or ipns. The path may itself begin
// with namespaces, as in ipfs://ipfs/CID and /ipns/NAME; the last one counts.
func (f *Fetcher) content(space, path string) ([]source, error) {
	for {
		path = strings.TrimLeft(path, "/")
		first, rest, _ := strings.Cut(path, "/")
		if first != "ipfs" && first != "ipns" {
			break
		}
		space, path = first, rest
	}
	if space == "ipfs" {
		return f.ipfs.sources(path, ipfsName)
	}
	var ipns gateways
	for _, gateway := range f.ipfs {
		if before, found := strings.CutSuffix(gateway.base, "/ipfs/"); found {
			named := *gateway
			named.base = before + "/ipns/"
			ipns = append(ipns, &named)
		}
	}
	return ipns.sources(path, ipnsName)
}

// copies returns the URLs at the gateways of content with a CID, or with the id of an Arweave
// transaction, that a URL of another gateway names. It leaves out the query, which is for that
// gateway.
func (f *Fetcher) copies(u *url.URL) []source {
	host, path := strings.ToLower(u.Hostname()), u.EscapedPath()
	if m := arweavePath.FindStringSubmatch(path); m != nil && arweaveHost.MatchString(host) {
		urls, _ := f.arweave.sources(m[1], arweaveName) // an error means that there are no copies
		return urls
	}
	if m := hostCID.FindStringSubmatch(host); m != nil {
		path = m[2] + "/" + m[1] + path
	} else if m := pathCID.FindStringSubmatch(path); m != nil {
		path = m[1]
	} else {
		return nil
	}
	urls, _ := f.content("ipfs", path) // an error means that there are no copies
	return urls
}

// sources returns the URL of a path at each gateway. It fails if the first segment of the
// path does not match name, if the path leads out of the gateway's folder, or if there is no
// gateway.
func (g gateways) sources(path string, name *regexp.Regexp) ([]source, error) {
	path, query, hasQuery := strings.Cut(path, "?")
	first, _, _ := strings.Cut(path, "/")
	if !name.MatchString(first) {
		return nil, permanent("the URI names no content: %q", oneLine(first[:min(len(first), 100)]))
	}
	if leadsOut(path) {
		return nil, permanent("refused: the URI's path contains . or ..")
	}
	if len(g) == 0 {
		return nil, permanent("no gateway is configured for this URI")
	}
	// In these URIs, # is part of the file name and does not begin a fragment.
	path = strings.ReplaceAll(path, "#", "%23")
	if hasQuery {
		path += "?" + strings.ReplaceAll(query, "#", "%23")
	}
	var urls []source
	for _, gateway := range g {
		u, err := parseURL(gateway.base + path)
		if err != nil {
			return nil, permanent("%v", err)
		}
		u.RawQuery = strings.Trim(u.RawQuery+"&"+gateway.query, "&")
		urls = append(urls, source{u, gateway})
	}
	return urls, nil
}

// leadsOut reports whether a path has a . or .. segment, escaped or not, and so may lead out
// of the gateway's folder.
func leadsOut(path string) bool {
	plain, err := url.PathUnescape(escapeStray(path))
	if err != nil {
		return true
	}
	for segment := range strings.FieldsFuncSeq(plain, func(r rune) bool { return r == '/' || r == '\\' }) {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// parseURL parses an http or https URL. It fails if the URL has no host or has
// credentials. A percent sign that escapes nothing is kept, as in browsers.
func parseURL(text string) (*url.URL, error) {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F || r == '\uFFFD' }) {
		return nil, errors.New("the URL contains invalid characters")
	}
	u, err := url.Parse(escapeStray(text))
	if err != nil {
		if inner, ok := errors.AsType[*url.Error](err); ok {
			err = inner.Err
		}
		return nil, fmt.Errorf("the URL cannot be read: %w", err)
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("refused: a URL of the scheme %q", u.Scheme)
	case u.User != nil:
		return nil, errors.New("refused: a URL with a user name or password")
	case u.Hostname() == "":
		return nil, errors.New("the URL has no host")
	}
	u.Fragment, u.RawFragment = "", ""
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

// escapeQuery escapes bytes that a request line must not contain. Package url escapes
// them only in paths.
func escapeQuery(query string) string {
	var out strings.Builder
	for _, b := range []byte(query) {
		if b <= ' ' || b >= 0x7F {
			fmt.Fprintf(&out, "%%%02X", b)
			continue
		}
		out.WriteByte(b)
	}
	return out.String()
}

// escapeStray escapes each percent sign that is not followed by two hex digits.
func escapeStray(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	const hex = "0123456789abcdefABCDEF"
	var out strings.Builder
	for i := range len(text) {
		out.WriteByte(text[i])
		if text[i] == '%' && (i+2 >= len(text) || strings.IndexByte(hex, text[i+1]) < 0 || strings.IndexByte(hex, text[i+2]) < 0) {
			out.WriteString("25")
		}
	}
	return out.String()
}
