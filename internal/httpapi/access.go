package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"mintburn/internal/apikeys"
	"mintburn/internal/nft"
)

// Access says who may use the API, and how much.
type Access struct {
	// Keys returns the present API keys. If it is nil, requests have no keys, and
	// their credentials are ignored.
	Keys func() *apikeys.Set
	// Required lets only clients with a key use the API.
	Required bool
	// Quota is the cost that a client may spend in a minute, unless its key has a quota
	// of its own; 0 is any. A client without a key is an address, see [Config.TrustedProxies].
	Quota int
	// Now returns the time; nil is [time.Now].
	Now func() time.Time
}

// access is an [Access] with what clients have spent: those without keys cannot make it
// forget those with keys.
type access struct {
	Access
	clients          *clients
	keyed, addressed *quotas
}

// maxAddresses is how many addresses have a quota at once.
const maxAddresses = 1 << 16

func newAccess(a Access, known *clients) *access {
	if a.Now == nil {
		a.Now = time.Now
	}
	known.identified = true
	return &access{a, known, newQuotas(apikeys.MaxKeys), newQuotas(maxAddresses)}
}

// caller is the client of a request.
type caller struct {
	// key is the client's key, or nil.
	key *apikeys.Key
	// client identifies the client for the limiter, the budgets and the quotas.
	client netip.Addr
	// failed is the error of credentials that are not valid.
	failed *requestError
	// quota is the cost that it may spend in a minute, 0 for any; quotas has what it
	// has spent.
	quota  int
	quotas *quotas
	// header is that of the response.
	header http.Header
}

// callerKey is the key of the [caller] in a request's context.
type callerKey struct{}

// callerOf returns the caller of a request that passed identify.
func callerOf(ctx context.Context) *caller { return ctx.Value(callerKey{}).(*caller) }

// KeyName returns the name of the API key of a request, or "" if it has none that is
// valid. It is for logs: the key itself is not in the context.
func KeyName(ctx context.Context) string {
	if known, ok := ctx.Value(callerKey{}).(*caller); ok && known.key != nil {
		return known.key.Name
	}
	return ""
}

// identify finds out who sends each request, if that matters.
func (e *endpoint) identify(next http.Handler) http.Handler {
	if e.access == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := e.access.caller(w, r)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, known)))
	})
}

func (a *access) caller(w http.ResponseWriter, r *http.Request) *caller {
	known := &caller{quota: a.Quota, quotas: a.addressed, header: w.Header()}
	if a.Keys != nil {
		known.key, known.failed = a.find(r.Header)
	}
	if known.key == nil {
		known.client = a.clients.byAddress(r)
		return known
	}
	// Addresses of clients are those of IPv4, or end with 64 zero bits.
	known.client, known.quotas = netip.AddrFrom16([16]byte(append(make([]byte, 8), known.key.Hash[:8]...))), a.keyed
	if known.key.Quota != nil {
		known.quota = *known.key.Quota
	}
	return known
}

// find returns the key of a request's credentials, nil without any, and the error of those
// that are not valid. Other schemes than Bearer may be for a proxy.
func (a *access) find(h http.Header) (key *apikeys.Key, failed *requestError) {
	secrets := h["X-Api-Key"]
	for _, value := range h["Authorization"] {
		scheme, secret, _ := strings.Cut(value, " ")
		if strings.EqualFold(scheme, "Bearer") {
			secrets = append(secrets[:len(secrets):len(secrets)], strings.TrimSpace(secret))
		}
	}
	switch len(secrets) {
	case 0:
		return nil, nil
	case 1:
		if key = a.Keys().Find(secrets[0], a.Now()); key == nil {
			failed = unauthorised("the API key is unknown, revoked or expired", `, error="invalid_token"`)
		}
		return key, failed
	default:
		return nil, unauthorised("the request has more than one API key: want one", `, error="invalid_request"`)
	}
}

// unauthorised returns the error of a request without a valid key. RFC 6750, section 3.
func unauthorised(message, parameters string) *requestError {
	return statusError(http.StatusUnauthorized, unauthenticated, "%s", message).with("WWW-Authenticate", `Bearer realm="mintburn"`+parameters)
}

// admission is the least cost of a request. It is charged before the request is read, also
// for one that is invalid or answered from a cache.
const admission = 1

// admit returns the error of a caller that may not use the API now.
func (a *access) admit(ctx context.Context) *requestError {
	known := callerOf(ctx)
	switch {
	case known.failed != nil:
		return known.failed
	case a.Required && known.key == nil:
		return unauthorised("an API key is required: send it as Authorization: Bearer KEY", "")
	default:
		return a.spend(known, admission, admission)
	}
}

// mostCost returns the highest cost of a request of the caller, where others have most. A
// request that costs more than the quota could never run.
func (c *caller) mostCost(most int) int {
	if c.key != nil {
		most = cmp.Or(c.key.MaxCost, most)
	}
	if c.quota > 0 {
		most = min(most, c.quota)
	}
	return most
}

// keyed lets only clients with a key get what next serves, if keys are required.
func (e *endpoint) keyed(next http.Handler) http.Handler {
	if e.access == nil || !e.access.Required {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failed := e.access.admit(r.Context()); failed != nil {
			e.fail(w, r, failed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// overQuota returns the error of a caller that has spent its quota for so many seconds.
func overQuota(quota int, seconds string) *requestError {
	failed := statusError(http.StatusTooManyRequests, nft.RateLimited, "the quota of %d a minute is spent: try again in %s s", quota, seconds)
	return failed.with("Retry-After", seconds)
}
