package metadata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"mintburn/internal/retrying"
)

// content is a document before it is decoded to text.
type content struct {
	body []byte
	// mediaType is a Content-Type, which may contain a charset.
	mediaType string
}

// get returns the content of a URL. It follows at most maxRedirects redirects, each
// to an http or https URL, and none away from a gateway to which a key may be sent. limit bounds the total time, without the time spent waiting
// for the hosts' limits.
func (f *Fetcher) get(ctx context.Context, from source, limit time.Duration, due int64, admit func() error) (content, error) {
	left, u, own := limit, from.URL, from.gateway
	for redirects := 0; ; redirects++ {
		leave, err := f.hosts.enter(ctx, hostName(u), !isPrivateName(u.Hostname()), due, admit)
		if err != nil {
			return content{}, err
		}
		began := time.Now()
		timed, cancel := context.WithTimeout(ctx, left)
		found, location, err := f.request(timed, u, own, limit)
		cancel()
		leave()
		if err != nil || location == "" {
			return found, err
		}
		if redirects == maxRedirects {
			return content{}, permanent("more than %d redirects", maxRedirects)
		}
		if u, err = follow(u, location); err != nil {
			return content{}, permanent("redirect: %v", err)
		}
		if own != nil && !from.isAt(u) {
			if own.secret != "" {
				return content{}, permanent("the redirect to %s://%s is not followed, because the gateway's %s may contain a key", u.Scheme, u.Host, own.secret)
			}
			own = nil // the other host must not choose a URL of the gateway
		}
		if left -= time.Since(began); left <= 0 {
			return content{}, failureOf(context.DeadlineExceeded, limit)
		}
	}
}

// hostName returns the name of a URL's host, with its port, as the limits know it.
func hostName(u *url.URL) string { return strings.ToLower(u.Host) }

// isPrivateName reports whether a host name is localhost or itself a private address.
func isPrivateName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && inAny(address.Unmap(), private)
}

// follow resolves a Location header against the URL that it came from.
func follow(from *url.URL, location string) (*url.URL, error) {
	if len(location) > maxURL {
		return nil, fmt.Errorf("the URL is longer than %d bytes", maxURL)
	}
	relative, err := url.Parse(escapeStray(location))
	if err != nil {
		return nil, errors.New("the URL cannot be read")
	}
	return parseURL(from.ResolveReference(relative).String())
}

// request sends one request, to own if that is not nil. It returns the content or the location
// of a redirect. limit is the time limit for all requests of a document, for the error text.
func (f *Fetcher) request(ctx context.Context, u *url.URL, own *gateway, limit time.Duration) (found content, location string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return found, "", permanent("the URL cannot be read")
	}
	request.Header.Set("User-Agent", f.o.UserAgent)
	request.Header.Set("Accept", "application/json, */*;q=0.5")
	// This header keeps the transport from unpacking. readBody unpacks within bounds.
	request.Header.Set("Accept-Encoding", "gzip")
	transport := f.transport
	if own != nil {
		transport = f.own
		maps.Copy(request.Header, own.headers)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return found, "", ended(ctx, err, limit)
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status == http.StatusOK, status == http.StatusNonAuthoritativeInfo:
		body, err := readBody(response.Body, strings.Join(response.Header.Values("Content-Encoding"), ","), response.ContentLength)
		if err != nil {
			return found, "", ended(ctx, err, limit)
		}
		return content{body, response.Header.Get("Content-Type")}, "", nil
	case slices.Contains(redirects, status) && response.Header.Get("Location") != "":
		drain(response)
		return found, response.Header.Get("Location"), nil
	default:
		drain(response)
		failure := f.refused(response)
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			f.hosts.rest(hostName(u), failure.After)
		}
		return found, "", failure
	}
}

// ended returns the failure of a request that ended with err. It replaces err by ctx's
// error if ctx has ended, because a connection that is closed by a timeout can return
// many errors.
func ended(ctx context.Context, err error, limit time.Duration) *Failure {
	if _, known := errors.AsType[*Failure](err); !known && ctx.Err() != nil {
		err = ctx.Err()
	}
	return failureOf(err, limit)
}

// redirects lists the HTTP status codes of redirects.
var redirects = []int{
	http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect,
}

// drain reads a short body to its end, so that the connection can be reused.
func drain(response *http.Response) {
	if response.ContentLength >= 0 && response.ContentLength <= 4096 {
		_, _ = io.Copy(io.Discard, response.Body) // an error does not change the result
	}
}

// refused returns the failure for a response without a document.
func (f *Fetcher) refused(response *http.Response) *Failure {
	status := response.StatusCode
	failure := permanent("%s", strings.TrimSpace(fmt.Sprintf("status %d %s", status, http.StatusText(status))))
	failure.After = retrying.RetryAfter(response.Header, f.o.Now(), maxAfter)
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		failure.Temporary = true
	case http.StatusAccepted, http.StatusForbidden, http.StatusNotFound, http.StatusGone:
		// Documents are often uploaded after the mint, and storage services also answer 403
		// for what they lack.
		failure.absent = true
	default:
		failure.Temporary = status >= 500
	}
	return failure
}
