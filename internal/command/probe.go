package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// healthCommand is for the health checks of containers without a shell.
type healthCommand struct {
	certified
	Listen string `help:"Address of the server, or unix:PATH; ${default} unless given." default:"127.0.0.1:8080" placeholder:"ADDR"`
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
	// A proxy of the environment would answer for another server.
	transport, base := &http.Transport{DisableKeepAlives: true}, "http://"
	if c.TLSCert != "" {
		// The certificate need not name the address, and nothing secret is sent.
		transport.TLSClientConfig, base = &tls.Config{InsecureSkipVerify: true}, "https://"
	}
	if socket, ok := strings.CutPrefix(c.Listen, unixPrefix); ok {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
		base += "localhost"
	} else {
		base += c.Listen
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
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
