package httpapi

import (
	"bytes"
	"context"
	"net/http"
	"net/netip"
	"path"
	"sync"

	"github.com/gorilla/websocket"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/batches"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/parse"
	"mintburn/internal/httpapi/queries"
	"mintburn/internal/httpapi/respond"
	"mintburn/internal/httpapi/routes"
	"mintburn/internal/httpapi/subscribe"
	"mintburn/internal/httpapi/watch"
)

// endpoint answers GraphQL over HTTP.
type endpoint struct {
	Config
	execute.Parts
	executor *execute.Executor
	// messages has the buffers of WebSocket messages.
	messages sync.Pool
	clients  *admit.Clients
	sender   *respond.Sender
	origins  origins
	streams  *admit.Streams
	batches  *batches.Batches
	routes   *routes.Routes
}

func newEndpoint(c Config) (*endpoint, error) {
	schema := c.Schema.Schema()
	e := &endpoint{Config: c}
	var err error
	if e.origins, err = newOrigins(c.Origins); err != nil {
		return nil, err
	}
	if e.clients, err = admit.NewClients(c.TrustedProxies, c.Log); err != nil {
		return nil, err
	}
	if e.routes, err = routes.New(schema); err != nil {
		return nil, err
	}
	e.Queries = queries.New(schema, c.Schema.Scalars, c.Introspection, c.Limits.Limits)
	e.Budget = admit.NewBudget(budgetBytes, e.clients)
	e.Observer = observe.New(c.Options, c.Log, e.clients)
	for _, to := range e.routes.List {
		e.Observer.Reserve(to.Document.Route)
	}
	// The other half of the timeout is left for the operation itself.
	e.Limiter = admit.NewLimiter(c.Limits.Concurrency, c.Limits.Timeout/2, e.Observer.Limiter)
	if c.Access != nil {
		e.Callers = admit.NewCallers(*c.Access, e.clients)
	}
	e.executor = execute.New(c.Config, e.Parts, c.Limits.Limits, c.Limits.Answer)
	e.sender = respond.New(e.Parts, e.clients, e.routes, c.Log)
	if e.Stopping == nil {
		e.Stopping = context.Background()
	}
	e.streams = admit.NewStreams(e.Stopping, c.Limits.Subscriptions, c.Limits.ClientSubscriptions)
	e.batches = batches.New(batches.Config{
		Executor: e.executor, Changes: watch.New(c.LastChange, c.Log), Streams: e.streams, Times: c.Limits.Times, Timeout: c.Limits.Timeout,
	}, c.Limits.Concurrency)
	e.Observer.Registry.MustRegister(observe.State{Limiter: e.Limiter, Budget: e.Budget, Streams: e.streams, Caches: func() map[string]admit.CacheStats {
		caches := e.Queries.Stats()
		caches["batches"] = e.batches.Stats()
		return caches
	}})
	if c.TrustedDocuments == "" {
		return e, nil
	}
	// Explore must run too.
	explore, err := page.Documents(page.Assets)
	if err == nil {
		err = e.Queries.Trust(c.TrustedDocuments, explore)
	}
	return e, err
}

// guard rejects unclean paths, which the mux would redirect, and closes connections after
// chunked HTTP/1 requests.
func (e *endpoint) guard(next http.Handler) http.Handler {
	unclean := observe.As(observe.REST, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.sender.Fail(w, r, failure.BadRequest(`the path has a segment that is empty, "." or "..": want one of the routes of /openapi.json`))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			// If the request also has a Content-Length, a proxy may split the bytes of this
			// connection into other requests. net/http has removed that header, so the
			// connection ends after every chunked request. RFC 9112, section 6.1.
			w.Header().Set("Connection", "close")
		}
		if answersPreflight(w, r) {
			return
		}
		if !isClean(r.URL.EscapedPath()) {
			// The mux would redirect to the clean path, which may be another route.
			unclean.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isClean reports whether ServeMux accepts a path without a redirect.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == "" || p == clean || clean != "/" && p == clean+"/"
}

const allowedMethods = "GET, HEAD, POST, OPTIONS"

// ServeHTTP answers requests, and opens WebSockets. A stream is answered here, with few functions
// on the stack and without the buffers of the request, because it may be open for long.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		e.socket(w, r)
	} else if s := e.serve(w, r); s != nil {
		e.stream(w, r, s)
	}
}

// serve answers POST, GET and HEAD, and redirects a browser that sends no parameters to the page.
// It returns a subscription without answering it. Specification: GraphQL over HTTP, "Request".
func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) (subscribed *execute.Subscription) {
	m, failed := negotiate.ChooseMediaType(r.Header)
	stream := negotiate.ChooseStream(r.Header)
	only := failed != nil && stream == negotiate.EventStream
	if failed == nil || stream != "" {
		failed = e.origins.check(r)
	}
	if failed == nil && e.Callers != nil && r.Method != http.MethodOptions {
		// Browsers send OPTIONS without credentials.
		failed = e.Callers.Admit(r.Context())
	}
	write := func(done execute.Outcome) {
		switch {
		case done.Subscribed != nil:
			subscribed = done.Subscribed
		case only:
			e.finish(w, r, subscribe.NewStream(e.streams.Stopping, w, stream, e.Limits.Write), &done)
		default:
			e.sender.Write(w, r, m, done)
		}
	}
	switch {
	case negotiate.WantsPage(r):
		w.Header().Add("Vary", "Accept")
		// Relative, which http.Redirect is not: a proxy may serve this below a path.
		w.Header().Set("Location", "./")
		w.WriteHeader(http.StatusSeeOther)
	case failed != nil:
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
	case r.Method == http.MethodPost:
		e.post(w, r, m, stream, write)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		e.serveGet(r, func() (one execute.Request, failed *failure.Error) {
			one.Public = true
			if one.Request, failed = parse.URL(r.URL.RawQuery); r.Method == http.MethodGet {
				one.Stream, one.Bytes = stream, len(r.URL.RawQuery)
			}
			return one, failed
		}, write)
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
		w.WriteHeader(http.StatusNoContent)
	default:
		failed := failure.WithStatus(http.StatusMethodNotAllowed, apierror.BadUserInput, "the method is not supported: want GET, HEAD or POST")
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed.With("Allow", allowedMethods)})
	}
	return subscribed
}

// misdirected answers at a path to which clients send operations by mistake. allow are the methods
// of the path, or "".
func (e *endpoint) misdirected(status int, code apierror.Code, message, allow string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// If the client accepts no supported media type, the error is sent as JSON.
		m, _ := negotiate.ChooseMediaType(r.Header)
		failed := failure.WithStatus(status, code, "%s", message)
		if allow != "" {
			failed = failed.With("Allow", allow)
		}
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
	})
}

// serveGet runs the operation that read returns for a GET or HEAD. It passes the outcome to write.
func (e *endpoint) serveGet(r *http.Request, read func() (execute.Request, *failure.Error), write func(execute.Outcome)) {
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.Timeout)
	defer cancel()
	one, failed := read()
	if failed != nil {
		write(execute.Outcome{Failed: failed})
		return
	}
	one.Client = e.clients.Of(r)
	one.Size = e.Budget.AnswerSize(one.Client, e.Limits.Answer)
	defer one.Size.Release()
	write(e.executor.Answer(ctx, &one))
}

// post answers a POST with one operation or a batch. It passes the outcome of one operation to
// write, and stream is the form in which the client accepts several.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request, m, stream negotiate.MediaType, write func(execute.Outcome)) {
	body := e.Budget.Buffer(r)
	defer e.Budget.Drop(body)
	failed := negotiate.CheckContent(r.Header)
	if failed == nil {
		failed = e.readBody(w, r, body)
	}
	if failed != nil {
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.Timeout)
	defer cancel()
	client, length := e.clients.Of(r), body.Len()
	list, batch, failed := e.read(ctx, client, &body.Buffer)
	size := e.Budget.AnswerSize(client, e.Limits.Answer)
	defer size.Release()
	for i := range list {
		list[i].Client, list[i].Size = client, size
	}
	switch {
	case failed != nil:
		e.sender.Write(w, r, m, execute.Outcome{Failed: failed})
	case batch:
		e.sender.WriteAll(w, r, m, e.executor.AnswerAll(ctx, list), size)
	default:
		list[0].Stream, list[0].Bytes = stream, length
		write(e.executor.Answer(ctx, &list[0]))
	}
}

// read parses the requests in a body. A large body occupies a slot meanwhile.
func (e *endpoint) read(ctx context.Context, client netip.Addr, body *bytes.Buffer) (list []execute.Request, batch bool, failed *failure.Error) {
	if body.Len() > admit.SmallBuffer {
		s, failed := e.Limiter.EnterFor(ctx, client, body.Len()/respond.BytesPerCost)
		defer s.Leave()
		if failed != nil {
			return nil, false, failed
		}
	}
	sent, batch, failed := parse.JSON(body, e.Limits.Batch)
	list = make([]execute.Request, len(sent))
	for i := range sent {
		list[i].Request = sent[i]
	}
	return list, batch, failed
}
