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
	"mintburn/internal/nft"
)

// TestPresentError compares the error that a client sees with the one that is logged.
func TestPresentError(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	cancelled := fmt.Errorf("reading: %w", &pgconn.PgError{Code: "57014"})
	for name, test := range map[string]struct {
		ctx           context.Context
		err           error
		code          nft.Code
		message       string
		logged        bool
		detail, value string
	}{
		"an error for the client": {t.Context(), fmt.Errorf("reading a page: %w", &nft.Error{Code: nft.NotFound, Message: "not there", Details: map[string]any{"at": "7"}}),
			nft.NotFound, "not there", false, "at", "7"},
		"an internal error":                  {t.Context(), errors.New("disk on fire"), nft.Internal, "internal error", true, "", ""},
		"a timeout":                          {t.Context(), fmt.Errorf("reading: %w", context.DeadlineExceeded), nft.Timeout, "took too long", false, "", ""},
		"a stopped statement":                {ended, errors.New("interrupted"), nft.Timeout, "took too long", false, "", ""},
		"a statement that others cancelled":  {t.Context(), cancelled, nft.Unavailable, "try again later", true, "", ""},
		"a statement cancelled by a timeout": {ended, cancelled, nft.Timeout, "took too long", false, "", ""},
		"a client's error after the timeout": {ended, nft.Errorf(nft.NotFound, "not there"), nft.NotFound, "not there", false, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			got := graph.PresentError(slog.New(slog.NewTextHandler(&log, nil)))(test.ctx, test.err)
			if got.Extensions["code"] != test.code || !strings.Contains(got.Message, test.message) || got.Err != nil != (test.code == nft.Unavailable) {
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
