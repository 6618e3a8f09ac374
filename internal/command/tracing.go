package command

import (
	"context"
	"log/slog"
	"os"

	"mintburn/internal/httpapi"
)

// tracing makes the spans of a server and sends them.
type tracing interface {
	httpapi.Tracer
	// Statements begins the span of the statements of a round trip, if that of an
	// operation is its parent and sampled; otherwise it returns nil.
	Statements(ctx context.Context) (end func(texts []string, err error))
	// Close sends the spans that are left.
	Close(ctx context.Context) error
}

// tracingSetting returns the variable of OpenTelemetry that says where traces are sent,
// or "" if none does or another turns them off.
func tracingSetting() string {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return ""
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return ""
}

// trace lets the command make spans until stop is called, if the environment says where
// they are sent.
func (e *env) trace(ctx context.Context) (stop func(), err error) {
	setting := tracingSetting()
	if setting == "" {
		return func() {}, nil
	}
	if e.tracing, err = newTracing(ctx, e.log); err != nil {
		return nil, err
	}
	if e.tracing == nil {
		e.log.Warn("this build has no traces: build it with -tags otel", "variable", setting)
		return func() {}, nil
	}
	e.log.Info("sending traces", "variable", setting)
	return func() { closeTracing(ctx, e.tracing, e.log) }, nil
}

// closeTracing sends the spans that are left after the end of ctx.
func closeTracing(ctx context.Context, t tracing, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scrapeTime)
	defer cancel()
	if err := t.Close(ctx); err != nil {
		log.Warn("sending the last traces", "error", err)
	}
}
