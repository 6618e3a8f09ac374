package admit

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"mintburn/internal/apierror"
	"mintburn/internal/apikeys"
	"mintburn/internal/httpapi/failure"
)

// Access restricts who may use the API, and how much.
type Access struct {
	// Keys returns the current API keys. If it is nil, credentials of requests are ignored.
	Keys func() *apikeys.Set
	// Required restricts the API to clients with a key.
	Required bool
	// Quota is the cost that a client may spend per minute, unless its key sets another quota;
	// 0 is unlimited. Clients without a key are identified by address, see
	// [Clients].
	Quota int
	// Now returns the current time; nil means [time.Now].
	Now func() time.Time
}

// Callers identifies the callers of requests and charges them: it is an [Access] with the spent
// quotas. Keys and addresses have separate stores, so that clients without keys cannot evict the
// quotas of those with keys. It is safe for concurrent use.
type Callers struct {
	Access
	clients          *Clients
	keyed, addressed *quotas
}

// maxAddresses is the maximum number of addresses whose quotas are stored.
const maxAddresses = 1 << 16

// NewCallers returns callers with full quotas. From then on, known identifies a client by its
// key, so every request must have passed [Callers.Identify].
func NewCallers(a Access, known *Clients) *Callers {
	if a.Now == nil {
		a.Now = time.Now
	}
	known.identified = true
	return &Callers{a, known, newQuotas(apikeys.MaxKeys), newQuotas(maxAddresses)}
}

// caller is the client of a request.
type caller struct {
	// key is the client's valid key, or nil.
	key *apikeys.Key
	// client identifies the client for the limiter, the budgets and the quotas.
	client netip.Addr
	// failed is the error of invalid credentials.
	failed *failure.Error
	// quota is the cost that the client may spend per minute, 0 for unlimited. quotas stores
	// the remaining quota.
	quota  int
	quotas *quotas
	// header is the header of the response; nil once that is sent.
	header http.Header
}

// callerKey is the context key of a [caller].
type callerKey struct{}

// callerOf returns the caller of a request. It panics unless Identify has stored one.
func callerOf(ctx context.Context) *caller { return ctx.Value(callerKey{}).(*caller) }

// KeyName returns the name of a request's valid API key, or "". It is meant for logs: the key
// itself is not in the context.
func KeyName(ctx context.Context) string {
	if known, ok := ctx.Value(callerKey{}).(*caller); ok && known.key != nil {
		return known.key.Name
	}
	return ""
}

// Identify stores each request's [caller] in its context. A nil access stores none.
func (a *Callers) Identify(next http.Handler) http.Handler {
	if a == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := a.caller(w, r)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, known)))
	})
}

func (a *Callers) caller(w http.ResponseWriter, r *http.Request) *caller {
	known := &caller{quota: a.Quota, quotas: a.addressed, header: w.Header()}
	if a.Keys != nil {
		known.key, known.failed = a.find(r.Header)
	}
	if known.key == nil {
		known.client = a.clients.byAddress(r)
		return known
	}
	a.own(known)
	return known
}

// own makes a caller the client that owns its key.
func (a *Callers) own(known *caller) {
	// Client addresses are IPv4, or IPv6 with 64 zero bits at the end. An address derived from
	// a key begins with 64 zero bits, so the two cannot be equal.
	known.client, known.quotas = netip.AddrFrom16([16]byte(append(make([]byte, 8), known.key.Hash[:8]...))), a.keyed
	if known.quota = a.Quota; known.key.Quota != nil {
		known.quota = *known.key.Quota
	}
}

// Connected returns the context for the operations of a WebSocket, and charges for its opening as
// [Callers.Admit] does, with the same errors. A secret that is not empty identifies the caller in
// place of the request's credentials.
func (a *Callers) Connected(ctx context.Context, secret string) (context.Context, *failure.Error) {
	known := *callerOf(ctx)
	known.header = nil
	if secret != "" && a.Keys != nil {
		known.key, known.failed = a.find(http.Header{"X-Api-Key": {secret}})
		if known.key != nil {
			a.own(&known)
		}
	}
	return a.Next(context.WithValue(ctx, callerKey{}, &known))
}

// Next returns the context for another operation of an open connection, and charges for it as
// [Callers.Admit] does for a request, with the same errors.
func (a *Callers) Next(ctx context.Context) (context.Context, *failure.Error) {
	ctx, failed := a.Renew(ctx)
	if failed == nil {
		failed = a.Admit(ctx)
	}
	return ctx, failed
}

// Renew returns a context with the caller's key as it is now: while a connection or a stream is
// open, the limits of the key may change, and it may become invalid, which is an error.
func (a *Callers) Renew(ctx context.Context) (context.Context, *failure.Error) {
	known := *callerOf(ctx)
	if known.key == nil {
		return ctx, nil
	}
	current := a.Keys().Current(known.key, a.Now())
	switch current {
	case nil:
		return ctx, unauthorised(invalidKey, invalidToken)
	case known.key:
		return ctx, nil
	}
	if failed := forChain(ctx, current); failed != nil {
		return ctx, failed
	}
	known.key = current
	a.own(&known)
	return context.WithValue(ctx, callerKey{}, &known), nil
}

// The error of a key that is not valid.
const invalidKey, invalidToken = "the API key is unknown, revoked or expired", `, error="invalid_token"`

// find returns the key that a request's credentials name, nil if there are none, and an error
// if they are invalid. Schemes other than Bearer may be meant for a proxy.
func (a *Callers) find(h http.Header) (key *apikeys.Key, failed *failure.Error) {
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
			failed = unauthorised(invalidKey, invalidToken)
		}
		return key, failed
	default:
		return nil, unauthorised("the request has more than one API key: want one", `, error="invalid_request"`)
	}
}

// unauthorised returns the error for a missing or invalid key. RFC 6750, section 3.
func unauthorised(message, parameters string) *failure.Error {
	return failure.WithStatus(http.StatusUnauthorized, failure.Unauthenticated, "%s", message).With("WWW-Authenticate", `Bearer realm="mintburn"`+parameters)
}

// admission is the minimum cost of a request. It is charged before the request is read, even
// if the request is invalid or answered from a cache.
const admission = 1

// Admit charges the minimum cost, 1, before the request is read. It returns an error if the
// caller may not use the API now: with status 401 for a missing or invalid key, 429 if the quota
// is spent.
func (a *Callers) Admit(ctx context.Context) *failure.Error {
	known := callerOf(ctx)
	switch {
	case known.failed != nil:
		return known.failed
	case a.Required && known.key == nil:
		return unauthorised("an API key is required: send it as Authorization: Bearer KEY", "")
	}
	if failed := forChain(ctx, known.key); failed != nil {
		return failed
	}
	return a.spend(known, admission, admission)
}

// OtherChain is the message of the error of a key that is for other chains.
const OtherChain = "the key is not for this chain"

// ForChain returns an error with status 401 if the caller's key is for other chains than the one that
// ctx concerns. [Callers.Admit] and [Callers.Renew] do so too.
func (*Callers) ForChain(ctx context.Context) *failure.Error { return forChain(ctx, callerOf(ctx).key) }

func forChain(ctx context.Context, key *apikeys.Key) *failure.Error {
	name := ChainOf(ctx)
	if name == "" || key == nil || len(key.Chains) == 0 || slices.Contains(key.Chains, name) {
		return nil
	}
	return unauthorised(OtherChain, invalidToken)
}

// MostCost returns the maximum cost of the caller's requests; most is the maximum for other
// callers. A request that costs more than the quota could never run.
func (a *Callers) MostCost(ctx context.Context, most int) int {
	c := callerOf(ctx)
	if c.key != nil {
		most = cmp.Or(c.key.MaxCost, most)
	}
	if c.quota > 0 {
		most = min(most, c.quota)
	}
	return most
}

// overQuota returns the error for a spent quota; seconds is the time until the next attempt.
func overQuota(quota int, seconds string) *failure.Error {
	failed := failure.WithStatus(http.StatusTooManyRequests, apierror.RateLimited, "the quota of %d a minute is spent: try again in %s s", quota, seconds)
	return failed.With("Retry-After", seconds)
}
