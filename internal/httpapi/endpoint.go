package httpapi

import (
	"context"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
)

// endpoint answers GraphQL over HTTP.
type endpoint struct {
	Config
	executor  *executor.Executor
	responses *responseCache
	queries   *queryCache
	// persisted has documents by hash; trusted is nil where any document runs.
	persisted   *persisted
	trusted     *trusted
	prices      prices
	limiter     *limiter
	clients     *clients
	budget      *memoryBudget
	compressors *compressors
	origins     origins
	metrics     *metrics
	outage      outage
	// access is nil where anybody may use the API.
	access *access
}

func newEndpoint(c Config) (*endpoint, error) {
	run := executor.New(c.Schema)
	run.SetErrorPresenter(c.ErrorPresenter)
	run.SetRecoverFunc(c.Recover)
	for _, extension := range c.Extensions {
		run.Use(extension)
	}
	allowed, err := newOrigins(c.Origins)
	if err != nil {
		return nil, err
	}
	e := &endpoint{
		Config: c, executor: run, origins: allowed,
		queries:     newQueryCache(c.Schema.Schema(), c.Schema.Scalars, c.Introspection, c.Limits),
		persisted:   &persisted{newLRU[*document](cachedDocuments/4, cachedBytes/4), newLRU[*document](cachedDocuments, cachedBytes)},
		responses:   newResponseCache(c.AnswerCache, c.Generation),
		prices:      newPrices(c.Schema.Schema()),
		compressors: newCompressors(), metrics: newMetrics(c.Registry, c.Collector),
	}
	// Half of the time is left for the operation itself.
	e.limiter = newLimiter(c.Limits.Concurrency, c.Limits.Timeout/2, e.metrics.limiter)
	e.metrics.registry.MustRegister(e.limiter.gauge())
	if e.clients, err = newClients(c.TrustedProxies, c.Log); err != nil {
		return nil, err
	}
	if c.Access != nil {
		e.access = newAccess(*c.Access, e.clients)
	}
	e.budget = newMemoryBudget(budgetBytes, e.clients)
	// The last is the innermost.
	run.AroundResponses(e.noteFinal)
	if c.TrustedDocuments != "" {
		e.trusted, err = readTrusted(c.TrustedDocuments, e.queries)
	}
	return e, err
}

// guard handles requests that must not reach the mux as they are.
func (e *endpoint) guard(next http.Handler) http.Handler {
	unclean := e.metrics.of("rest", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.fail(w, r, badRequest(`the path has an empty part, "." or "..": want one of the routes of /openapi.json`))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			// With a Content-Length beside it, a proxy may see other requests in this
			// connection. net/http has removed that header, so the connection ends
			// after every chunked request. RFC 9112, section 6.1.
			w.Header().Set("Connection", "close")
		}
		if !isClean(r.URL.EscapedPath()) {
			// The mux would redirect to the clean path, where another route may be.
			unclean.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isClean reports whether ServeMux takes a path as it is.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == "" || p == clean || clean != "/" && p == clean+"/"
}

const allowedMethods = "GET, HEAD, POST, OPTIONS"

// ServeHTTP answers POST, GET and HEAD, and sends a browser that brings no parameters to
// the page. Specification: GraphQL over HTTP, "Request".
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.origins.allow(w.Header(), r.Header)
	m, failed := negotiate(r.Header)
	if failed == nil {
		failed = e.origins.check(r)
	}
	if failed == nil && e.access != nil && r.Method != http.MethodOptions {
		// Browsers send OPTIONS without credentials.
		failed = e.access.admit(r.Context())
	}
	switch {
	case wantsPage(r):
		w.Header().Add("Vary", "Accept")
		http.Redirect(w, r, "/", http.StatusSeeOther)
	case failed != nil:
		e.write(w, r, m, outcome{failed: failed})
	case r.Method == http.MethodPost:
		e.post(w, r, m)
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		e.serveGet(w, r, m, func() (request, *requestError) { return readURL(r.URL.RawQuery) }, func(done outcome) { e.write(w, r, m, done) })
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
		w.WriteHeader(http.StatusNoContent)
	default:
		failed := statusError(http.StatusMethodNotAllowed, nft.BadUserInput, "the method has no meaning here: want GET, HEAD or POST")
		e.write(w, r, m, outcome{failed: failed.with("Allow", allowedMethods)})
	}
}

// serveGet answers a GET or HEAD from the response cache, or else by the
// operation that read returns; write writes its outcome.
func (e *endpoint) serveGet(w http.ResponseWriter, r *http.Request, m mediaType, read func() (request, *requestError), write func(outcome)) {
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.Timeout)
	defer cancel()
	key := e.cacheKey(r, nil)
	if key != "" && e.serveCached(ctx, w, r, m, key) {
		return
	}
	one, failed := read()
	if failed != nil {
		write(outcome{failed: failed})
		return
	}
	size := e.budget.answerSize(r, e.Limits.Answer)
	defer size.release()
	one.key, one.client, one.size = key, e.clients.of(r), size
	write(e.answer(ctx, &one))
}

// post answers a POST, which may be a batch.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request, m mediaType) {
	body := e.budget.buffer(r)
	defer e.budget.drop(body)
	failed := checkContent(r.Header)
	if failed == nil {
		failed = e.readBody(w, r, body)
	}
	if failed != nil {
		e.write(w, r, m, outcome{failed: failed})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), e.Limits.Timeout)
	defer cancel()
	key := e.cacheKey(r, body)
	if key != "" && e.serveCached(ctx, w, r, m, key) {
		return
	}
	client := e.clients.of(r)
	list, batch, failed := e.read(ctx, client, body)
	size := e.budget.answerSize(r, e.Limits.Answer)
	defer size.release()
	for i := range list {
		list[i].client, list[i].size = client, size
	}
	switch {
	case failed != nil:
		e.write(w, r, m, outcome{failed: failed})
	case batch:
		e.writeAll(w, r, m, e.answerAll(ctx, list), size)
	default:
		list[0].key = key
		e.write(w, r, m, e.answer(ctx, &list[0]))
	}
}

// cacheKey returns the key of the answer to a request in the response cache: its
// address or its body, and the content coding. The media types of answers differ in
// the header alone. body is nil for a GET. The key is empty without a cache, and for
// a body longer than an address may be.
func (e *endpoint) cacheKey(r *http.Request, body *buffer) string {
	switch {
	case e.responses == nil, body != nil && body.Len() > maxHeader:
		return ""
	case body != nil:
		return chooseCoding(r.Header, codings...) + " POST " + body.String()
	default:
		return chooseCoding(r.Header, codings...) + " GET " + r.URL.RequestURI()
	}
}

// bytesPerCost is about how many bytes of a body or an answer are read or
// compressed for one unit of cost.
const bytesPerCost = 100

// read reads the requests of a body; a large body takes a slot.
func (e *endpoint) read(ctx context.Context, client netip.Addr, body *buffer) (list []request, batch bool, failed *requestError) {
	if body.Len() > smallBuffer {
		s, failed := e.limiter.enterFor(ctx, client, body.Len()/bytesPerCost)
		defer s.leave()
		if failed != nil {
			return nil, false, failed
		}
	}
	return readJSON(&body.Buffer, e.Limits.Batch)
}

// metrics count requests, for Prometheus.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	errors   *prometheus.CounterVec
	cached   prometheus.Counter
	limiter  *limiterMetrics
	registry *prometheus.Registry
}

// newMetrics returns metrics, beside those of a collector and of the process, in
// a registry or in a new one.
func newMetrics(registry *prometheus.Registry, more prometheus.Collector) *metrics {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if more != nil {
		registry.MustRegister(more)
	}
	in := promauto.With(registry)
	return &metrics{
		requests: in.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_http_requests_total", Help: "HTTP requests by route and status.",
		}, []string{"route", "status"}),
		seconds: in.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mintburn_http_request_seconds", Help: "Time to answer an HTTP request, by route.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10},
		}, []string{"route"}),
		errors: in.NewCounterVec(prometheus.CounterOpts{
			Name: "mintburn_errors_total", Help: "Errors in answers, by code.",
		}, []string{"code"}),
		cached: in.NewCounter(prometheus.CounterOpts{
			Name: "mintburn_answer_cache_hits_total", Help: "Requests answered from memory (--answer-cache).",
		}),
		limiter:  newLimiterMetrics(in),
		registry: registry,
	}
}

// Metrics returns the handler of /metrics for the registry of a [Config].
func Metrics(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

// of counts the requests to a route.
func (m *metrics) of(route string, next http.Handler) http.Handler {
	seconds := m.seconds.WithLabelValues(route)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, noted := time.Now(), &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(noted, r)
		seconds.Observe(time.Since(began).Seconds())
		m.requests.WithLabelValues(route, strconv.Itoa(noted.status)).Inc()
	})
}

// failed counts errors by their codes.
func (m *metrics) failed(list gqlerror.List) {
	for _, e := range list {
		m.errors.WithLabelValues(codeOf(e)).Inc()
	}
}

// statusRecorder records the status of a response.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (n *statusRecorder) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] reach the recorded writer.
func (n *statusRecorder) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// limiterMetrics count operations by how they got a slot.
type limiterMetrics struct {
	atOnce, afterWait, full, late prometheus.Counter
	wait                          prometheus.Histogram
}

func newLimiterMetrics(in promauto.Factory) *limiterMetrics {
	operations := in.NewCounterVec(prometheus.CounterOpts{
		Name: "mintburn_limiter_operations_total",
		Help: "Operations by how they got a slot to run: at once, after waiting, or not because the queue was full or the wait too long.",
	}, []string{"outcome"})
	return &limiterMetrics{
		atOnce: operations.WithLabelValues("at_once"), afterWait: operations.WithLabelValues("after_waiting"),
		full: operations.WithLabelValues("queue_full"), late: operations.WithLabelValues("waited_too_long"),
		wait: in.NewHistogram(prometheus.HistogramOpts{
			Name: "mintburn_limiter_wait_seconds", Help: "How long operations waited for a slot that they got.",
			Buckets: []float64{.001, .005, .01, .05, .1, .5, 1, 5},
		}),
	}
}

// gauge returns the metric of how many operations wait.
func (l *limiter) gauge() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "mintburn_limiter_waiting", Help: "Operations that wait for a slot.",
	}, func() float64 { return float64(l.waiting()) })
}
