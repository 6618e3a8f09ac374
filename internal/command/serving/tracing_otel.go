//go:build otel

package serving

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"mintburn/internal/httpapi"
)

// HasTracing reports whether this build can send traces.
const HasTracing = true

// longestText bounds the statements in a span, in bytes.
const longestText = 4 << 10

// requestSpan are the options of a request's span. Requests share them, because most of
// their spans are not sampled.
var requestSpan = []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}

// openTelemetry creates spans with OpenTelemetry's SDK and exports them with OTLP over
// HTTP. OpenTelemetry's standard variables configure it. Attribute names follow the
// semantic conventions.
type openTelemetry struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	parents  propagation.TraceContext
}

// newTracing returns a tracer of this version of the program that exports with OTLP. It fails for a protocol other than
// http/protobuf.
func newTracing(ctx context.Context, log *slog.Logger, version string) (Tracing, error) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := os.Getenv(name); protocol != "" && protocol != "http/protobuf" {
			return nil, fmt.Errorf("%s: got %q, want http/protobuf", name, protocol)
		}
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("sending traces", "error", err) }))
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithProxy(refuseRedirects))
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	// Later options override earlier ones.
	described, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "mintburn"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("tracing: %w", err)
	}
	t := &openTelemetry{provider: sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(described))}
	t.tracer = t.provider.Tracer("mintburn")
	return t, nil
}

// refuseRedirects is [http.ProxyFromEnvironment] that fails for a redirected request, which
// would send the credentials in OTEL_EXPORTER_OTLP_HEADERS to another host. The exporter
// has no other hook that keeps its TLS settings.
func refuseRedirects(r *http.Request) (*url.URL, error) {
	if r.Response != nil {
		return nil, fmt.Errorf("status %d: the redirect to %s is not followed", r.Response.StatusCode, r.URL.Host)
	}
	return http.ProxyFromEnvironment(r)
}

// Close implements [Tracing].
func (t *openTelemetry) Close(ctx context.Context) error { return t.provider.Shutdown(ctx) }

// Request implements [observe.Tracer].
func (t *openTelemetry) Request(ctx context.Context, h http.Header, method, id string) (context.Context, func(route string, status int)) {
	inSpan, span := t.tracer.Start(t.parents.Extract(ctx, propagation.HeaderCarrier(h)), "request", requestSpan...)
	if !span.IsRecording() {
		return ctx, nil
	}
	return inSpan, func(route string, status int) {
		span.SetName(strings.TrimSpace(method + " " + route))
		span.SetAttributes(attribute.String("http.request.method", method), attribute.Int("http.response.status_code", status), attribute.String("mintburn.request_id", id))
		if route != "" {
			span.SetAttributes(attribute.String("http.route", route))
		}
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Operation implements [observe.Tracer].
func (t *openTelemetry) Operation(ctx context.Context, kind, label string, cost int) (context.Context, func([]string)) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, nil
	}
	// Backends group spans by name, so the name that the client chose is an attribute.
	chain := httpapi.ChainOf(ctx)
	ctx, span := t.tracer.Start(ctx, kind, trace.WithAttributes(
		attribute.String("graphql.operation.type", kind), attribute.String("graphql.operation.name", label), attribute.Int("mintburn.cost", cost)))
	if chain != "" {
		span.SetAttributes(attribute.String("mintburn.chain", chain))
	}
	return ctx, func(failed []string) {
		if len(failed) > 0 {
			span.SetAttributes(attribute.StringSlice("mintburn.error_codes", failed))
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// Statements implements [Tracing]. It omits database errors, because they may repeat
// values. The log has them.
func (t *openTelemetry) Statements(ctx context.Context) func([]string, error) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return nil
	}
	_, span := t.tracer.Start(ctx, "statement", trace.WithSpanKind(trace.SpanKindClient))
	return func(texts []string, err error) {
		if verb, _, _ := strings.Cut(texts[0], " "); verb != "" {
			span.SetName(verb)
		}
		text := strings.Join(texts, "; ")
		span.SetAttributes(attribute.String("db.query.text", text[:min(len(text), longestText)]))
		if len(texts) > 1 {
			span.SetAttributes(attribute.Int("db.operation.batch.size", len(texts)))
		}
		if err != nil {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}
