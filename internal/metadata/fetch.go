package metadata

import (
	"bytes"
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
	// and intranets. Link-local addresses, those of clouds' metadata services and
	// the like stay denied.
	AllowPrivate bool
	// IPFS and Arweave are the URLs of gateways, in the order in which they are
	// tried: a CID or a transaction's id is appended. A URL without a path gets
	// /ipfs/ or /. The defaults are public ones; a list that is empty but not nil
	// means none, and such documents are then refused.
	IPFS, Arweave []string
	// Timeout is the time for one document, with redirects and body, without the
	// wait for the limits below; 30 seconds by default. Each of several gateways has
	// an equal share.
	Timeout time.Duration
	// Total and PerHost are the most requests at a time, of all hosts and of one:
	// 32 and 4 by default. They must not be negative.
	Total, PerHost int
	// HostRate is how many requests to one host may begin in a second, 20 by
	// default. Private addresses that a URL names as such have no rate.
	HostRate float64
	// UserAgent is the User-Agent header; "mintburn" by default.
	UserAgent string
	// Resolver looks up names; the default is the system's.
	Resolver *net.Resolver
	// Clock replaces the clock, except for timeouts of connections.
	retrying.Clock
}

// Defaults of [FetcherOptions].
var (
	publicIPFS    = []string{"https://ipfs.io/ipfs/", "https://dweb.link/ipfs/", "https://w3s.link/ipfs/"}
	publicArweave = []string{"https://arweave.net/", "https://permagate.io/"}
)

const (
	// maxRedirects is how many redirects are followed for one document.
	maxRedirects = 3
	// maxHeader is the largest response header that is read, in bytes.
	maxHeader = 64 << 10
	// maxDial is the time for a connection, and again for its TLS handshake.
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

// Fetcher gets the documents of token URIs. Neither a URI nor a server is
// trusted: which addresses are connected to, time, size, redirects, requests at
// a time and requests a second are bounded; nothing is sent but a plain GET,
// without cookies, credentials or a referrer, and through no proxy.
//
// A Fetcher may be used by several goroutines.
type Fetcher struct {
	o             *FetcherOptions
	ipfs, arweave gateways
	// transport is used without a client: there are no cookies, credentials or
	// referrers to be sent, and redirects are followed in get.
	transport *http.Transport
	hosts     *hosts
	// decoding has a slot for each document that is being decoded, which takes
	// several times its size in memory.
	decoding *semaphore.Weighted
}

// NewFetcher returns a Fetcher. It fails for a gateway that is no URL to append
// names to.
func NewFetcher(o FetcherOptions) (*Fetcher, error) {
	f := &Fetcher{o: o.withDefaults(), decoding: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))}
	var err error
	if f.ipfs, err = parseGateways(f.o.IPFS, "/ipfs/"); err != nil {
		return nil, fmt.Errorf("reading IPFS gateways: %w", err)
	}
	if f.arweave, err = parseGateways(f.o.Arweave, "/"); err != nil {
		return nil, fmt.Errorf("reading Arweave gateways: %w", err)
	}
	f.hosts = &hosts{o: f.o, total: semaphore.NewWeighted(int64(f.o.Total)), byName: map[string]*host{}}
	dialer := &net.Dialer{Timeout: maxDial, Resolver: f.o.Resolver, Control: guard(f.o.AllowPrivate)}
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
	return f, nil
}

// Close closes the connections that are not in use.
func (f *Fetcher) Close() { f.transport.CloseIdleConnections() }

// Fetch returns the document of a URI as [Text] has it, at most [MaxDocument]
// bytes. For an ERC-1155 token {id} must have been replaced.
//
// It reads http and https URLs; ipfs:, /ipfs/ and bare CIDs, and ar:, from the
// gateways; data: URIs, see [DecodeDataURI]; and what begins with { as the
// document itself. Everything else is refused. It fails with a [*Failure], or
// with ctx's error when ctx ends.
func (f *Fetcher) Fetch(ctx context.Context, uri string) (string, error) {
	return f.fetch(ctx, uri, func() error { return nil })
}

// fetch is Fetch. It calls admit right before each request, and returns its error.
func (f *Fetcher) fetch(ctx context.Context, uri string, admit func() error) (string, error) {
	uri = strings.TrimSpace(uri)
	scheme, _, _ := strings.Cut(uri, ":")
	switch {
	case strings.HasPrefix(uri, "{"):
		return f.decode(ctx, func() (content, error) {
			if len(uri) > MaxDocument {
				return content{}, errTooLarge()
			}
			return content{body: []byte(uri)}, nil
		})
	case strings.EqualFold(scheme, "data") && len(uri) > len(scheme):
		return f.decode(ctx, func() (content, error) {
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
	var failed *Failure
	var declined error
	ask := func() error {
		declined = admit()
		return declined
	}
	for _, source := range sources {
		found, err := f.get(ctx, source, limit, ask)
		if err == nil {
			return f.decode(ctx, func() (content, error) { return found, nil })
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if declined != nil {
			return "", declined
		}
		failure := failureOf(err, limit)
		if len(sources) > 1 {
			failure = failure.at(source.Host)
		}
		failed = failed.and(failure)
	}
	return "", failed
}

// decode makes text of what read returns.
func (f *Fetcher) decode(ctx context.Context, read func() (content, error)) (string, error) {
	if err := f.decoding.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer f.decoding.Release(1)
	found, err := read()
	if err != nil {
		return "", permanent("%v", err)
	}
	if kind := notJSON(found.body); kind != "" {
		return "", permanent("the document is %s, not JSON", kind)
	}
	body, err := toUTF8(found.body, found.mediaType)
	if err != nil {
		return "", err
	}
	text := Text(body)
	if len(text) > MaxDocument {
		return "", permanent("%v", errTooLarge())
	}
	return text, nil
}

// notJSON returns the media type of content that is a picture, a page or the like,
// or "". It ignores the Content-Type header: many are wrong.
func notJSON(body []byte) string {
	start := bytes.TrimLeft(body, " \t\r\n")
	if len(start) == 0 || bytes.IndexByte([]byte(`{["`), start[0]) >= 0 {
		// Some of the signatures would match JSON.
		return ""
	}
	kind, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if kind == "text/plain" || kind == "application/octet-stream" {
		return ""
	}
	return kind
}
