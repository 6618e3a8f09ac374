//go:build !otel

package command

import (
	"context"
	"log/slog"
)

// hasTracing reports whether this build can send traces.
const hasTracing = false

// newTracing returns nil: this build has no tracing.
func newTracing(context.Context, *slog.Logger, string) (tracing, error) { return nil, nil }
