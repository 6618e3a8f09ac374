package graph

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
	"mintburn/internal/store"
)

// PresentError returns how errors are shown: an [nft.Error] with its code and
// details, an argument that can't be read as BAD_USER_INPUT, a lost database as
// UNAVAILABLE, a cancelled operation as TIMEOUT. Any other error is logged and shown as INTERNAL.
func PresentError(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		var known *nft.Error
		switch {
		case errors.As(err, &known):
			shown.Message = known.Message
			shown.Extensions = map[string]any{"code": known.Code}
			for name, detail := range known.Details {
				shown.Extensions[name] = detail
			}
		case shown.Extensions["code"] != nil:
			// Parsing and validation name their own codes.
		case ctx.Err() == nil && store.IsLost(err):
			log.WarnContext(ctx, "the database is unavailable", "error", err)
			shown.Message = "the data is unavailable: try again later"
			shown.Extensions = map[string]any{"code": nft.Unavailable}
		case ctx.Err() != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			// Databases have their own words for a statement that was stopped.
			shown.Message = "the operation took too long and was stopped"
			shown.Extensions = map[string]any{"code": nft.Timeout}
		case isArgument(ctx):
			showArgument(ctx, shown)
		default:
			log.ErrorContext(ctx, "operation failed", "error", err, "path", shown.Path.String())
			shown.Message = "internal error"
			shown.Extensions = map[string]any{"code": nft.Internal}
		}
		// The cause is for the log alone.
		shown.Err = nil
		return shown
	}
}

// endsOperation reports whether an error says something of the whole operation:
// that it took too long or costs too much, or that its database is gone. The
// other fields would only repeat it.
func endsOperation(ctx context.Context, err error) bool {
	var known *nft.Error
	if errors.As(err, &known) {
		return known.Code == nft.Timeout || known.Code == nft.QueryTooCostly
	}
	return ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || store.IsLost(err)
}

// isArgument reports whether an error arose while the arguments of a field
// were read: a field gets its arguments before anything else can fail.
func isArgument(ctx context.Context) bool {
	field := graphql.GetFieldContext(ctx)
	return field != nil && field.Field.Field != nil && field.Args == nil && len(field.Field.Definition.Arguments) > 0
}

// showArgument shows an error that arose while the arguments of a field were
// read. gqlgen ends its path with the argument's name, but a path leads to a
// response field: the name goes into the message.
func showArgument(ctx context.Context, shown *gqlerror.Error) {
	field := graphql.GetFieldContext(ctx)
	path := field.Path()
	if len(shown.Path) > len(path) {
		if name, ok := shown.Path[len(path)].(ast.PathName); ok {
			shown.Message = string(name) + ": " + shown.Message
		}
	}
	shown.Path = path
	if at := field.Field.Position; at != nil {
		shown.Locations = []gqlerror.Location{{Line: at.Line, Column: at.Column}}
	}
	shown.Extensions = map[string]any{"code": nft.BadUserInput}
}

// Recover turns a panic in a resolver into an internal error, and logs it.
func Recover(log *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, cause any) error {
		log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		return nft.Errorf(nft.Internal, "internal error")
	}
}
