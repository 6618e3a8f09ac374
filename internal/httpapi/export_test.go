package httpapi

import (
	"net/http"
	"net/netip"
	"time"

	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/subscribe"
)

// DefaultLimits are the program's default limits.
var DefaultLimits = Limits{
	Body: 1 << 20, Batch: 50, Answer: 32 << 20, Concurrency: 32, Timeout: 10 * time.Second,
	Subscriptions: 10_000, ClientSubscriptions: 100, Times: subscribe.DefaultTimes,
	Limits: cost.Limits{Tokens: 10_000, Depth: 20, Aliases: 200, RootFields: 100, Cost: 500_000, PageSize: 1_000},
}

// BatchWidth is how many operations of a batch run at once.
const BatchWidth = execute.BatchWidth

// NewWithBudget is [New] with only the GraphQL endpoint and a memory budget of size bytes.
func NewWithBudget(c Config, size int64) (handler http.Handler, used func() int64, err error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, nil, err
	}
	e.Budget.Size = size
	return e.Observer.Handler(e), e.Budget.InUse, nil
}

// Bounds returns the bound of each route, by its pattern.
func Bounds(c Config) (map[string]string, error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, one := range e.routed(e, e, nil) {
		all[one.pattern] = string(one.bound)
	}
	return all, nil
}

// Taken is how many bytes of a memory budget a client has taken.
type Taken struct {
	Client netip.Addr
	Bytes  int
}

// NewTaken is [New] with only the GraphQL endpoint and a memory budget of size bytes, of which
// clients have taken some.
func NewTaken(c Config, size int64, taken ...Taken) (handler http.Handler, err error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, err
	}
	e.Budget.Size = size
	for _, t := range taken {
		if err := e.Budget.AnswerSize(t.Client, t.Bytes).Operation().Grow(t.Bytes, t.Bytes); err != nil {
			return nil, err
		}
	}
	return e.Observer.Handler(e.held(e)), nil
}

// NewHeld returns a handler that counts the memory of open requests to next in a budget.
func NewHeld(c Config, size int64, next http.Handler) (handler http.Handler, used func() int64, err error) {
	e, err := newEndpoint(c)
	if err != nil {
		return nil, nil, err
	}
	e.Budget.Size = size
	return e.Observer.Handler(e.held(drained(next))), e.Budget.InUse, nil
}

// MaxWait returns how long an operation waits for a slot.
func MaxWait(c Config) (time.Duration, error) {
	e, err := newEndpoint(c)
	if err != nil {
		return 0, err
	}
	return e.Limiter.MaxWait, nil
}

// HashOf returns the hash of a document.
var HashOf = parse.Hash
