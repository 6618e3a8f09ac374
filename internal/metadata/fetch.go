package metadata

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"mintburn/internal/retrying"
)

// FetcherOptions are the settings of a [Fetcher]. The zero value of each field
// means its default.
type FetcherOptions struct {
	// AllowPrivate allows connections to private and loopback addresses, for tests
	// and intranets. Link-local, cloud metadata and other special addresses stay denied.
	AllowPrivate bool
	// IPFS and Arweave are the URLs of gateways in the order of the attempts. A CID or
	// transaction id is appended. A URL without a path gets /ipfs/ or /. The defaults are
	// public gateways. An empty list that is not nil means no gateway; documents that need
	// one then fail. Gateways may have private and loopback addresses. A query of the URL
	// follows the name.
	IPFS, Arweave []string
	// Headers are sent to gateways, besides the usual ones.
	Headers []GatewayHeader
	// Timeout bounds the time for one document, including redirects and body but not
	// the wait for the limits below. The default is 30 seconds. If there are several
	// gateways, each has an equal share; a URL of which they have copies has half.
	Timeout time.Duration
	// Total and PerHost bound the concurrent requests, to all hosts and to one. The
	// defaults are 32 and 4. They must not be negative.
	Total, PerHost int
	// HostRate is the maximum number of requests to one host that begin per second, 20
	// by default. It does not apply if the URL itself contains a private address or
	// localhost.
	HostRate float64
	// UserAgent is the User-Agent header; "mintburn" by default.
	UserAgent string
	// Resolver looks up names; the default is the system's.
	Resolver *net.Resolver
	// Clock replaces the clock, except for connection timeouts.
	retrying.Clock
}

// Defaults of [FetcherOptions].
var (
	publicIPFS = []string{"https://ipfs.io/ipfs/", "https://dweb.link/ipfs/", "https://w3s.link/ipfs/"}
	// Since March 2026 arweave.net has new content late, or never.
	publicArweave = []string{"https://permagate.io/", "https://arweave.net/"}
)

const (
	// maxRedirects is the maximum number of redirects for one document.
	maxRedirects = 5
	// maxHeader is the maximum size of a response header in bytes.
	maxHeader = 64 << 10
	// maxDial is the timeout for connecting, and also for the TLS handshake.
	maxDial = 10 * time.Second
)

func (o FetcherOptions) withDefaults() *FetcherOptions {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Total = cmp.Or(o.Total, 32)
	o.PerHost = cmp.Or(o.PerHost, 4)
	o.HostRate = cmp.Or(o.HostRate, 20)
	o.UserAgent = cmp.Or(o.UserAgent, "mintburn")
	if o.IPFS == nil {
		o.IPFS = publicIPFS
	}
	if o.Arweave == nil {
		o.Arweave = publicArweave
	}
	o.Clock = o.Clock.WithDefaults()
	return &o
}

// Fetcher fetches the documents of token URIs. It trusts neither URIs nor servers: it
// restricts the addresses it connects to and bounds time, size, redirects, concurrent
// requests and requests per second. It sends only plain GET requests without cookies,
// credentials or a referrer, and uses no proxy.
//
// A Fetcher is safe for concurrent use.
type Fetcher struct {
	o             *FetcherOptions
	ipfs, arweave gateways
	// transport is used without an [http.Client]: no cookies, credentials or referrers
	// are sent, and get follows redirects.
	transport *http.Transport
	// own is the transport for gateways. Its connections are not shared with URLs of tokens,
	// which must not reach private addresses.
	own   *http.Transport
	hosts *hosts
	// decoding bounds how many documents are decoded at once, because decoding takes
	// several times the document's size in memory.
	decoding *semaphore.Weighted
}

// NewFetcher returns a Fetcher. It fails if a gateway is not a URL to which names can be
// appended.
func NewFetcher(o FetcherOptions) (*Fetcher, error) {
	f := &Fetcher{o: o.withDefaults(), decoding: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))}
	var err error
	if f.ipfs, err = parseGateways(f.o.IPFS, "/ipfs/"); err != nil {
		return nil, fmt.Errorf("reading IPFS gateways: %w", err)
	}
	if f.arweave, err = parseGateways(f.o.Arweave, "/"); err != nil {
		return nil, fmt.Errorf("reading Arweave gateways: %w", err)
	}
	if err := setHeaders(f.o.Headers, f.ipfs, f.arweave); err != nil {
		return nil, fmt.Errorf("reading headers of gateways: %w", err)
	}
	f.hosts = &hosts{o: f.o, total: semaphore.NewWeighted(int64(f.o.Total)), byName: map[string]*host{}}
	dialer := &net.Dialer{Timeout: maxDial, Resolver: f.o.Resolver, ControlContext: guard(f.o.AllowPrivate)}
	f.transport = &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    maxDial,
		ForceAttemptHTTP2:      true,
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns:           4 * f.o.Total,
		MaxIdleConnsPerHost:    f.o.PerHost,
		IdleConnTimeout:        time.Minute,
	}
	f.own = f.transport.Clone()
	f.own.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return f.transport.DialContext(context.WithValue(ctx, toGateway{}, true), network, address)
	}
	return f, nil
}

// Close closes idle connections.
func (f *Fetcher) Close() {
	f.transport.CloseIdleConnections()
	f.own.CloseIdleConnections()
}

// Fetch returns the document of a URI, decoded by [Text], at most [MaxDocument] bytes
// long. In the URI of an ERC-1155 token, {id} must already be replaced.
//
// It accepts http and https URLs; ipfs:, ipns:, /ipfs/, /ipns/, bare CIDs and ar:, which it
// fetches from the gateways; data: URIs, see [DecodeDataURI]; and a document itself in place
// of a URI, which begins with {. If an http or https URL of content with a CID fails, it
// asks the gateways. It fails with a [*Failure], or with ctx's error when ctx ends.
func (f *Fetcher) Fetch(ctx context.Context, uri string) (string, error) {
	return f.fetch(ctx, uri, 0, func() error { return nil }, func(string) error { return nil })
}

// fetch implements Fetch. Among the documents that wait for a host, that with the lowest due
// goes first. fetch calls admit right before each request and returns its error. It calls
// accept with the text of each answer, and asks the next host if accept fails.
func (f *Fetcher) fetch(ctx context.Context, uri string, due int64, admit func() error, accept func(text string) error) (string, error) {
	uri = trimURI(uri)
	scheme, _, _ := strings.Cut(uri, ":")
	switch {
	case strings.HasPrefix(uri, "{"):
		return f.decode(ctx, uri, accept, func() (content, error) {
			if len(uri) > MaxDocument {
				return content{}, errTooLarge()
			}
			return content{body: []byte(uri)}, nil
		})
	case strings.EqualFold(scheme, "data") && len(uri) > len(scheme):
		return f.decode(ctx, uri, accept, func() (content, error) {
			_, body, err := DecodeDataURI(uri)
			mediaType, _, _ := strings.Cut(uri, ",")
			return content{body, mediaType}, err
		})
	}
	sources, err := f.sources(uri)
	if err != nil {
		return "", err
	}
	limit := f.o.Timeout / time.Duration(len(sources))
	first := limit
	if copies := len(sources) - 1; copies > 0 && strings.HasPrefix(strings.ToLower(scheme), "http") {
		// The host that the URI names is the most likely to have the document.
		first = f.o.Timeout / 2
		limit = first / time.Duration(copies)
	}
	var failed *Failure
	var declined error
	ask := func() error {
		declined = admit()
		return declined
	}
	for i, source := range sources {
		limit := limit
		if i == 0 {
			limit = first
		}
		var text string
		found, err := f.get(ctx, source, limit, due, ask)
		if err == nil {
			text, err = f.decode(ctx, uri, accept, func() (content, error) { return found, nil })
		}
		if err == nil {
			return text, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if declined != nil {
			return "", declined
		}
		failure := failureOf(err, limit)
		if failure.picture != "" || failure.busy {
			return "", failure
		}
		if len(sources) > 1 {
			failure = failure.at(source.Host)
		}
		failed = failed.and(failure)
	}
	return "", failed
}

// decode returns the text of the content that read returns for a URI, if accept accepts it.
func (f *Fetcher) decode(ctx context.Context, uri string, accept func(text string) error, read func() (content, error)) (string, error) {
	if err := f.decoding.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer f.decoding.Release(1)
	found, err := read()
	if err != nil {
		return "", permanent("%v", err)
	}
	if kind := notJSON(found.body); kind != "" {
		failure := permanent("the document is %s, not JSON", kind)
		if strings.HasPrefix(kind, "image/") {
			failure.picture = pictureDocument(uri)
		}
		return "", failure
	}
	body, err := toUTF8(found.body, found.mediaType)
	if err != nil {
		return "", err
	}
	text := Text(body)
	if len(text) > MaxDocument {
		return "", permanent("%v", errTooLarge())
	}
	if err := accept(text); err != nil {
		return "", permanent("%v", err)
	}
	return text, nil
}
