//go:build !otel

package command

import (
	"context"
	"log/slog"
)

// newTracing returns nil: this build has no traces.
func newTracing(context.Context, *slog.Logger) (tracing, error) { return nil, nil }
