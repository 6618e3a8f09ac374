//go:build !otel

package serving

import (
	"context"
	"log/slog"
)

// HasTracing reports whether this build can send traces.
const HasTracing = false

// newTracing returns nil: this build has no Tracing.
func newTracing(context.Context, *slog.Logger, string) (Tracing, error) { return nil, nil }
