package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"mintburn/graph"
	"mintburn/internal/apierror"
)

// TestPresentError compares the error that a client sees with the one that is logged.
func TestPresentError(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	cancelled := fmt.Errorf("reading: %w", &pgconn.PgError{Code: "57014"})
	for name, test := range map[string]struct {
		ctx           context.Context
		err           error
		code          apierror.Code
		message       string
		logged        bool
		detail, value string
	}{
		"an error for the client": {t.Context(), fmt.Errorf("reading a page: %w", &apierror.Error{Code: apierror.NotFound, Message: "not there", Details: map[string]any{"at": "7"}}),
			apierror.NotFound, "not there", false, "at", "7"},
		"an internal error":                  {t.Context(), errors.New("disk on fire"), apierror.Internal, "internal error", true, "", ""},
		"a timeout":                          {t.Context(), fmt.Errorf("reading: %w", context.DeadlineExceeded), apierror.Timeout, "took too long", false, "", ""},
		"a stopped statement":                {ended, errors.New("interrupted"), apierror.Timeout, "took too long", false, "", ""},
		"a statement that others cancelled":  {t.Context(), cancelled, apierror.Unavailable, "try again later", true, "", ""},
		"a statement cancelled by a timeout": {ended, cancelled, apierror.Timeout, "took too long", false, "", ""},
		"a client's error after the timeout": {ended, apierror.Errorf(apierror.NotFound, "not there"), apierror.NotFound, "not there", false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			got := graph.PresentError(slog.New(slog.NewTextHandler(&log, nil)))(test.ctx, test.err)
			if got.Extensions["code"] != test.code || !strings.Contains(got.Message, test.message) || got.Err != nil != (test.code == apierror.Unavailable) {
				t.Errorf("got %v, %q, cause %v: want %s, %q", got.Extensions["code"], got.Message, got.Err, test.code, test.message)
			}
			if test.detail != "" && got.Extensions[test.detail] != test.value {
				t.Errorf("%s is %v, want %s", test.detail, got.Extensions[test.detail], test.value)
			}
			if (log.Len() > 0) != test.logged {
				t.Errorf("logged: %s", log.String())
			}
		})
	}
}
