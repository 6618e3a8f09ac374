package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// healthCommand is for the health checks of containers without a shell.
type healthCommand struct {
	Listen string `help:"Address of the server, ${default} unless given." default:"127.0.0.1:8080" placeholder:"ADDR"`
	Ready  bool   `help:"Fail as well while the server is not ready (/readyz)."`
}

// Validate checks what the flags' types do not.
func (c *healthCommand) Validate() error { return flagError("--listen", checkAddress(c.Listen)) }

// healthTimeout bounds a health check.
const healthTimeout = 5 * time.Second

// Run fails if the server does not answer with 200.
func (c *healthCommand) Run(ctx context.Context, e *env) (err error) {
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Listen+path, nil)
	if err != nil {
		return err
	}
	// A proxy of the environment would answer for another server.
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	said := strings.TrimSpace(string(text))
	if response.StatusCode != http.StatusOK {
		return cmp.Or(err, fmt.Errorf("status %d: %s", response.StatusCode, firstLine(errors.New(said))))
	}
	_, err = fmt.Fprintln(e.stdout, said)
	return err
}
