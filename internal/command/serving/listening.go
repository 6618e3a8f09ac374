package serving

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/following"
	"mintburn/internal/command/process"
	"mintburn/internal/database"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/store/write"
)

// Listening holds the flags of commands that serve.
type Listening struct {
	Controlling
	Listen        string        `help:"Address of the server, HOST:PORT or unix:PATH. Default: ${default}." default:"127.0.0.1:8080" placeholder:"ADDR"`
	MetricsListen string        `help:"Serve /metrics on this address instead of --listen." placeholder:"ADDR"`
	AccessLog     float64       `help:"Share of requests to log, 0 to 1. Default: ${default}." default:"0" placeholder:"SHARE"`
	AccessLogSlow time.Duration `help:"Log each request that takes at least this long. Default: none." placeholder:"DURATION"`
	Drain         time.Duration `help:"When stopped, keep serving for this long with /readyz at 503, then close the listener. Default: ${default}." default:"0s" placeholder:"DURATION"`
	MaxPageSize   int           `help:"Largest page a client may request, 1 to 10000. Default: ${default}." default:"1000" placeholder:"N"`

	MaxBody                   int           `help:"Largest request body in bytes. Default: ${default}." default:"1048576" placeholder:"N"`
	MaxBatch                  int           `help:"Most operations in a request that is a JSON array. Default: ${default}." default:"50" placeholder:"N"`
	MaxTokens                 int           `help:"Most lexical tokens in a document. Default: ${default}." default:"10000" placeholder:"N"`
	MaxDepth                  int           `help:"Deepest nesting of fields. Default: ${default}." default:"20" placeholder:"N"`
	MaxAliases                int           `help:"Most aliased fields in an operation. Default: ${default}." default:"200" placeholder:"N"`
	MaxRootFields             int           `help:"Most root fields in an operation. Default: ${default}." default:"100" placeholder:"N"`
	MaxCost                   int           `help:"Highest cost of a request, about one per value in the response. Default: ${default}." default:"500000" placeholder:"N"`
	MaxAnswer                 int           `help:"Largest response data in bytes, over all operations of a request. Default: ${default}." default:"33554432" placeholder:"N"`
	MaxConcurrency            *int          `help:"Most operations that run at once, over all requests. Default: one less than --db-connections." placeholder:"N" chain:""`
	MaxConnections            int           `help:"Most connections. Beyond that, a new one closes one of the client that has the most. Default: ${default}." default:"4096" placeholder:"N"`
	MaxSubscriptions          int           `help:"Most open subscriptions. Default: ${default}." default:"10000" placeholder:"N"`
	MaxSubscriptionsPerClient int           `help:"Most open subscriptions of a client, and operations at once on a WebSocket. Default: ${default}." default:"100" placeholder:"N"`
	Timeout                   time.Duration `help:"Longest time an operation may take. Default: ${default}." default:"10s" placeholder:"DURATION"`
	ReadTimeout               time.Duration `help:"Longest time a request may take to arrive. Default: ${default}." default:"15s" placeholder:"DURATION"`

	DBConnections *int `help:"Read connections to the database. Default: for SQLite one more than processors, at least 5; for PostgreSQL 8 per processor, from 8 to 64." name:"db-connections" placeholder:"N" chain:""`

	MaxLag time.Duration `help:"Fail (/readyz: 503; status: exit 1) while the last indexed block is older than this. Default: no limit." placeholder:"DURATION" chain:""`

	Introspection    bool     `help:"Allow introspection. --no-introspection also keeps errors from suggesting names." default:"true" negatable:""`
	TrustedDocuments string   `help:"Run only these documents: a folder of .graphql files, or a manifest from Apollo's or Relay's tools." placeholder:"PATH"`
	TrustedProxies   []string `help:"Read the client's address from X-Forwarded-For or Forwarded in requests from this address or prefix, such as 10.0.0.0/8; unix trusts those through a Unix socket (repeatable)." name:"trusted-proxies" placeholder:"PREFIX"`
	ExplorerURL      string   `help:"Let the page link to this block explorer, such as https://etherscan.io." placeholder:"URL" chain:""`
	CORSOrigin       []string `help:"Allow requests from pages of this origin, such as https://example.org, or * for all (repeatable)." name:"cors-origin" placeholder:"ORIGIN" sep:"none"`
}

// Validate checks constraints that the flag types cannot express.
func (l Listening) Validate() error {
	const most = 1 << 30
	return cmp.Or(
		l.Controlling.check(),
		flags.Within("--max-page-size", l.MaxPageSize, 1, 10_000),
		flags.Within("--max-body", l.MaxBody, 1, most), flags.Within("--max-batch", l.MaxBatch, 1, most), flags.Within("--max-tokens", l.MaxTokens, 1, most),
		flags.Within("--max-depth", l.MaxDepth, 1, most), flags.Within("--max-aliases", l.MaxAliases, 1, most),
		flags.Within("--max-root-fields", l.MaxRootFields, 1, most), flags.Within("--max-cost", l.MaxCost, 1, most),
		flags.Within("--max-answer", l.MaxAnswer, 1, most), flags.Within("--max-concurrency", given(l.MaxConcurrency, 1), 1, most), flags.Within("--db-connections", given(l.DBConnections, 1), 1, maxReaders),
		flags.Within("--max-connections", l.MaxConnections, 1, most), flags.Within("--max-subscriptions", l.MaxSubscriptions, 1, most), flags.Within("--max-subscriptions-per-client", l.MaxSubscriptionsPerClient, 1, most),
		flags.Within("--timeout", l.Timeout, time.Millisecond, time.Hour), flags.Within("--read-timeout", l.ReadTimeout, time.Millisecond, time.Hour),
		flags.Within("--access-log", l.AccessLog, 0, 1), flags.NotNegative("--access-log-slow", l.AccessLogSlow),
		flags.Within("--drain", l.Drain, 0, time.Hour), flags.NotNegative("--max-lag", l.MaxLag),
		flags.Error("--listen", CheckAddress(l.Listen)), flags.Error("--metrics-listen", CheckAddress(cmp.Or(l.MetricsListen, l.Listen))),
		flags.Error("--cors-origin", httpapi.CheckOrigins(l.CORSOrigin)), flags.Error("--trusted-proxies", admit.CheckProxies(l.TrustedProxies)),
		flags.Error("--explorer-url", checkExplorer(l.ExplorerURL)),
	)
}

// Proofs holds the flag of servers that prove blocks to clients.
type Proofs struct {
	ProofRPC []string `name:"proof-rpc" help:"JSON-RPC endpoint of a node that proves blocks to clients, http(s) or ws(s), and is not followed; several are tried in turn (repeatable). Default: no proofs." placeholder:"URL" sep:"," chain:""`
}

// Check fails for URLs that no client can use.
func (p Proofs) Check() error { return following.CheckURLs("--proof-rpc", p.ProofRPC) }

// maxSocketPath is the length of the longest Unix socket path, in bytes, on the system with
// the lowest limit.
const maxSocketPath = 103

// CheckAddress fails unless a server can listen on the address: HOST:PORT or unix:PATH.
func CheckAddress(address string) error {
	if path, ok := strings.CutPrefix(address, UnixPrefix); ok {
		if len(path) < 1 || len(path) > maxSocketPath || path[0] == '@' {
			return fmt.Errorf("got %q, want unix: and a path of at most %d bytes", address, maxSocketPath)
		}
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fmt.Errorf("got %q, want HOST:PORT such as 127.0.0.1:8080, :8080 for all addresses, or unix:PATH", address)
	}
	return nil
}

// checkExplorer fails unless the paths of EIP-3091 can be appended to the URL, or it is "".
func checkExplorer(text string) error {
	u, err := url.Parse(text)
	if text == "" || err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(text, "?#") {
		return nil
	}
	return fmt.Errorf("got %q, want an http or https URL without a user, query or fragment, such as https://etherscan.io", console.WithoutSecrets("explorer-url", text))
}

// Limits returns the request limits for a store with this many read connections. One of
// the connections is for metrics and health checks.
func (l Listening) Limits(readers int) httpapi.Limits {
	return httpapi.Limits{
		Body: l.MaxBody, Batch: l.MaxBatch, Limits: cost.Limits{Tokens: l.MaxTokens, Depth: l.MaxDepth, Aliases: l.MaxAliases, RootFields: l.MaxRootFields, Cost: l.MaxCost, PageSize: l.MaxPageSize},
		Answer: l.MaxAnswer, Concurrency: given(l.MaxConcurrency, max(1, readers-1)), Timeout: l.Timeout,
		Subscriptions: l.MaxSubscriptions, ClientSubscriptions: l.MaxSubscriptionsPerClient, Times: subscribe.DefaultTimes,
	}
}

// Tracing creates the spans of a server and exports them.
type Tracing interface {
	observe.Tracer
	// Statements begins the span of a round trip and its statements. It returns nil
	// unless ctx has the span of an operation, and that span is sampled.
	Statements(ctx context.Context) (end func(texts []string, err error))
	// Close exports the remaining spans.
	Close(ctx context.Context) error
}

// Options returns the options of a served store, one of several, whose reads t traces unless it is nil. The
// store gets a connection for each operation that may run. Otherwise operations would wait for one in
// order of arrival, whichever client sent them.
func (l Listening) Options(t Tracing, dsn string, stores int) write.Options {
	readers := database.DefaultReaders(dsn, stores)
	if l.MaxConcurrency != nil {
		readers = min(*l.MaxConcurrency, maxReaders-1) + 1
	}
	o := write.Options{Options: database.Options{Readers: given(l.DBConnections, readers)}, MaxPageSize: l.MaxPageSize}
	if t != nil {
		o.Trace = t.Statements
	}
	return o
}

// given returns the value of a flag, or otherwise if the flag was not given.
func given(flag *int, otherwise int) int {
	if flag == nil {
		return otherwise
	}
	return *flag
}

// maxReaders bounds --db-connections.
const maxReaders = 1_000

// Enter loads the files, and opens the listener of --listen.
func (l Listening) Enter(e *process.Env) (*Entrance, error) {
	n, err := l.LoadFiles(e)
	if err != nil {
		return nil, err
	}
	if n.Listener, err = listenAt(l.Listen); err != nil {
		return nil, fmt.Errorf("listening (--listen): %w", err)
	}
	return n, nil
}

// otherFiles is the number of open files reserved for the database, nodes and documents.
const otherFiles = 256

// NeededFiles returns the number of open files that a server may need.
func (l Listening) NeededFiles() uint64 { return uint64(l.MaxConnections) + otherFiles }

// connections returns --max-connections, or fewer if the limit on open files is too low.
func (l Listening) connections(e *process.Env) int {
	limit, known := OpenFiles()
	if !known || l.NeededFiles() <= limit {
		return l.MaxConnections
	}
	most := 1
	if limit > 2*otherFiles {
		most = int(limit - otherFiles)
	} else if limit > 2 {
		most = int(limit / 2)
	}
	e.Log.Warn("accepting fewer connections than --max-connections: the limit on open files is too low", "connections", most, "open-files", limit)
	return most
}
