//go:build !otel

package command

import (
	"context"
	"log/slog"
)

// newTracing returns nil: this build has no tracing.
func newTracing(context.Context, *slog.Logger) (tracing, error) { return nil, nil }
