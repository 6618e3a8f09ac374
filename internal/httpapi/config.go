package httpapi

import (
	"context"
	"io/fs"
	"time"

	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/httpapi/watch"
)

// Config configures a server.
type Config struct {
	execute.Config
	// Stopping, if set, ends when the server stops: subscriptions then end at once.
	Stopping context.Context
	// LastChange returns the mark of the log of changes. It is called while requests wait for
	// changes.
	LastChange func(ctx context.Context) (watch.Mark, error)
	// Ready returns why the server should get no requests, or nil. Clients see the message of
	// an [apierror.Error], and of no other error.
	Ready func(ctx context.Context) error
	observe.Options
	// Examples returns values for the page's example tabs.
	Examples func(context.Context) (page.Examples, error)
	// Gateways are where the page loads images of ipfs: and ar: addresses from.
	Gateways page.Gateways
	// Files are the files of the repository that /docs shows.
	Files fs.FS
	// ExplorerURL is the block explorer that the page links to, or "".
	ExplorerURL string
	// Limits bound each request.
	Limits Limits
	// Introspection lets clients query the schema. Without it, errors do not suggest names of
	// the schema either.
	Introspection bool
	// TrustedDocuments is a folder or a manifest of the only documents that may run; empty
	// allows every document.
	TrustedDocuments string
	// Origins are the origins whose pages may read answers, such as http://HOST:PORT, or *.
	Origins []string
	// TrustedProxies are the addresses and prefixes of the proxies whose X-Forwarded-For or
	// Forwarded header identifies the client; "unix" trusts the peers of a Unix socket.
	TrustedProxies []string
	// AllowedHosts are the accepted hosts of requests, names or addresses without ports; empty
	// accepts all. Health checks accept any host.
	AllowedHosts []string
	// Access restricts who may use the API and how much; nil is no restriction.
	Access *admit.Access
}

// Limits bound the requests. docs/limits.md has an example of each. All must be at least 1.
type Limits struct {
	// Body is the maximum size of a request body, in bytes.
	Body int
	// Batch is the maximum number of operations in a request that is a JSON array.
	Batch int
	cost.Limits
	// Answer is the maximum size of the answer's data for all operations in a request, in
	// bytes.
	Answer int
	// Subscriptions is how many subscriptions may be open, ClientSubscriptions how many of one
	// client.
	Subscriptions, ClientSubscriptions int
	subscribe.Times
	// Concurrency is how many operations run at once, over all requests. It should not exceed
	// the number of database connections, which operations get in order of arrival.
	Concurrency int
	// Timeout is the maximum duration of a request once it is read.
	Timeout time.Duration
}

// budgetBytes is the memory for large bodies and answers of all requests.
const budgetBytes = 256 << 20
