package observe

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/failure"
)

// Tracer creates the spans of a trace. The returned contexts are the parents of
// the statement spans. end is nil if the trace is not sampled.
type Tracer interface {
	// Request begins the span of a request, in the trace that the request's headers name, if
	// any. end gets the pattern of the path, "" if no route matched.
	Request(ctx context.Context, h http.Header, method, id string) (_ context.Context, end func(route string, status int))
	// Operation begins the span of an operation. kind is for example "query", label the
	// operation's name in metrics. end gets the codes of the answer's errors.
	Operation(ctx context.Context, kind, label string, cost int) (_ context.Context, end func(codes []string))
}

// Options are what a server counts, logs and traces.
type Options struct {
	// Registry receives the metrics; nil is a new one. The handler serves them at /metrics, unless
	// [Metrics] does so elsewhere.
	Registry  *prometheus.Registry
	Elsewhere bool
	AccessLog AccessLog
	// Tracer creates spans of requests and operations; nil disables tracing.
	Tracer Tracer
}

// Observer counts, logs and traces requests, their operations and errors.
type Observer struct {
	requests   *prometheus.CounterVec
	seconds    *prometheus.HistogramVec
	errors     *prometheus.CounterVec
	operations *operationMetrics
	Registry   *prometheus.Registry
	tracer     Tracer
	accessLog  accessLog
}

// New registers the metrics of the handler and of the process. log gets the lines of the access log.
func New(c Options, log *slog.Logger, known *admit.Clients) *Observer {
	registry := cmp.Or(c.Registry, prometheus.NewRegistry())
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	in := promauto.With(registry)
	o := &Observer{
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
		operations: newOperationMetrics(in),
		Registry:   registry,
		tracer:     c.Tracer,
		accessLog:  accessLog{AccessLog: c.AccessLog, log: log, clients: known},
	}
	// Alerts notice the first internal error only if the counter existed with 0 before.
	o.errors.WithLabelValues(string(apierror.Internal))
	return o
}

// Handler assigns each request its id, and counts and logs it once next has answered it.
func (o *Observer) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &Exchange{ResponseWriter: w, id: requestID(r.Header), began: time.Now(), Route: Other, status: http.StatusOK}
		w.Header()[IDHeader] = []string{x.id}
		ctx := context.WithValue(r.Context(), exchangeKey{}, x)
		var end func(route string, status int)
		if o.tracer != nil {
			ctx, end = o.tracer.Request(ctx, r.Header, methodOf(r), x.id)
		}
		r = r.WithContext(ctx)
		// A stream that the server aborts is a request too.
		defer func() {
			if end != nil {
				end(matched(r), x.status)
			}
			took := time.Since(x.began)
			o.seconds.WithLabelValues(x.Route).Observe(took.Seconds())
			o.requests.WithLabelValues(x.Route, strconv.Itoa(x.status)).Inc()
			o.accessLog.write(x, r, took)
		}()
		next.ServeHTTP(x, r)
	})
}

// matched returns the pattern that matched a request's path, without the method.
func matched(r *http.Request) string {
	if _, path, found := strings.Cut(r.Pattern, " "); found {
		return path
	}
	return r.Pattern
}

// Failed counts errors by code.
func (o *Observer) Failed(list gqlerror.List) {
	for _, e := range list {
		o.errors.WithLabelValues(failure.CodeOf(e)).Inc()
	}
}

// Reserve creates the metrics of a label that clients cannot choose.
func (o *Observer) Reserve(label string) { o.operations.reserve(label) }

// Operation calls run for an operation, in a span of its own, and counts it. run returns the errors
// of the answer. kind and label are those of [Tracer].
func (o *Observer) Operation(ctx context.Context, kind, label string, cost int, run func(context.Context) gqlerror.List) {
	began := time.Now()
	var errs gqlerror.List
	if o.tracer != nil {
		in, end := o.tracer.Operation(ctx, kind, failure.Brief(label, longestName), cost)
		if ctx = in; end != nil {
			defer func() {
				var codes []string
				for _, err := range errs {
					codes = append(codes, failure.CodeOf(err))
				}
				end(codes)
			}()
		}
	}
	errs = run(ctx)
	o.operations.ran(label, cost, len(errs) == 0, time.Since(began))
}
