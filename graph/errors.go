package graph

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/apierror"
	"mintburn/internal/store/read"
)

// PresentError returns a function that converts errors for clients: an [apierror.Error] keeps its
// code and details, an invalid argument becomes BAD_USER_INPUT, a lost database UNAVAILABLE,
// and a cancelled operation TIMEOUT. Any other error is logged and becomes INTERNAL. The result
// wraps the cause of an [apierror.Error], and [apierror.ErrCancelled] if the database cancelled a
// statement.
func PresentError(log *slog.Logger) graphql.ErrorPresenterFunc {
	return func(ctx context.Context, err error) *gqlerror.Error {
		shown := graphql.DefaultErrorPresenter(ctx, err)
		var known *apierror.Error
		var cause error
		switch {
		case errors.As(err, &known):
			shown.Message, cause = known.Message, known.Cause
			shown.Extensions = map[string]any{"code": known.Code}
			for name, detail := range known.Details {
				shown.Extensions[name] = detail
			}
		case shown.Extensions["code"] != nil:
			// Parsing and validation name their own codes.
		case ctx.Err() == nil && read.IsLost(err):
			log.WarnContext(ctx, "the database is unavailable", "error", err)
			shown.Message = "the data is unavailable: try again later"
			shown.Extensions = map[string]any{"code": apierror.Unavailable}
			if read.IsCancelled(err) {
				cause = apierror.ErrCancelled
			}
		case ctx.Err() != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			// Databases report stopped statements with their own messages.
			shown.Message = "the operation took too long and was stopped"
			shown.Extensions = map[string]any{"code": apierror.Timeout}
		case isArgument(ctx):
			showArgument(ctx, shown)
		default:
			log.ErrorContext(ctx, "operation failed", "error", err, "path", shown.Path.String())
			shown.Message = "internal error"
			shown.Extensions = map[string]any{"code": apierror.Internal}
		}
		// Any other cause is only for the log.
		shown.Err = cause
		return shown
	}
}

// endsOperation reports whether an error concerns the whole operation: it took too long or
// costs too much, or its database is lost or behind. The other fields would only repeat it.
func endsOperation(ctx context.Context, err error) bool {
	var known *apierror.Error
	if errors.As(err, &known) {
		return known.Code == apierror.Timeout || known.Code == apierror.QueryTooCostly || known.Code == apierror.ReplicaBehind
	}
	return ctx.Err() != nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || read.IsLost(err)
}

// isArgument reports whether an error occurred while the arguments of a field were read. They
// are read before anything else of the field can fail.
func isArgument(ctx context.Context) bool {
	field := graphql.GetFieldContext(ctx)
	return field != nil && field.Field.Field != nil && field.Args == nil && len(field.Field.Definition.Arguments) > 0
}

// showArgument presents an error from reading the arguments of a field. gqlgen appends the
// argument's name to the path, but a path must lead to a response field, so the name moves to
// the message.
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
	shown.Extensions = map[string]any{"code": apierror.BadUserInput}
}

// Recover returns a function that logs a panic in a resolver and turns it into an internal
// error.
func Recover(log *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, cause any) error {
		log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		return apierror.Errorf(apierror.Internal, "internal error")
	}
}
