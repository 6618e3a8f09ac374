package serving

import (
	"context"
	"log/slog"
	"os"

	"mintburn/internal/command/state"
)

// tracingSetting returns the name of the OpenTelemetry variable that sets the endpoint
// of traces, or "" if none does or another variable disables tracing.
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

// StartTracing enables tracing until stop is called, if the environment sets an endpoint. Otherwise t is
// nil.
func StartTracing(ctx context.Context, log *slog.Logger, version string) (t Tracing, stop func(), err error) {
	setting := tracingSetting()
	if setting == "" {
		return nil, func() {}, nil
	}
	if t, err = newTracing(ctx, log, version); err != nil {
		return nil, nil, err
	}
	if t == nil {
		log.Warn("this build has no tracing: build it with -tags otel", "variable", setting)
		return nil, func() {}, nil
	}
	log.Info("sending traces", "variable", setting)
	return t, func() { closeTracing(ctx, t, log) }, nil
}

// closeTracing exports the remaining spans, even if ctx has ended.
func closeTracing(ctx context.Context, t Tracing, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), state.ScrapeTime)
	defer cancel()
	if err := t.Close(ctx); err != nil {
		log.Warn("sending the last traces", "error", err)
	}
}
