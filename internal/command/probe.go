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

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/process"
	"mintburn/internal/command/serving"
	"mintburn/internal/evm"
)

// healthCommand is a health check for containers without a shell.
type healthCommand struct {
	serving.Certified
	Listen string `help:"Address of the server, HOST:PORT or unix:PATH. Default: ${default}." default:"127.0.0.1:8080" placeholder:"ADDR"`
	Ready  bool   `help:"Also fail while the server is not ready (/readyz)."`
}

// Validate checks constraints that the flag types cannot express.
func (c *healthCommand) Validate() error {
	return flags.Error("--listen", serving.CheckAddress(c.Listen))
}

// healthTimeout bounds a health check.
const healthTimeout = 5 * time.Second

// Run fails unless the server answers with status 200.
func (c *healthCommand) Run(ctx context.Context, e *process.Env) (err error) {
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	// No proxy from the environment: it would answer in place of the server.
	transport, base := &http.Transport{DisableKeepAlives: true}, "http://"
	if c.TLSCert != "" {
		// The certificate need not name the address, and nothing secret is sent.
		transport.TLSClientConfig, base = &tls.Config{InsecureSkipVerify: true}, "https://"
	}
	if socket, ok := strings.CutPrefix(c.Listen, serving.UnixPrefix); ok {
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
		return cmp.Or(err, fmt.Errorf("status %d: %s", response.StatusCode, console.OneLine(errors.New(said))))
	}
	_, err = fmt.Fprintln(e.Stdout, evm.Printable(said))
	return err
}
