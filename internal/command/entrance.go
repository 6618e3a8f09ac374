package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"mintburn/internal/httpapi"
	"mintburn/internal/reload"
)

// controlling is the flags that say who may use a server.
type controlling struct {
	certified
	TLSKey        string   `help:"File of the private key of --tls-cert, in PEM." name:"tls-key" placeholder:"FILE"`
	APIKeys       string   `help:"File of API keys, made by mintburn keys new; loaded again when it changes and at SIGHUP." name:"api-keys" placeholder:"FILE"`
	RequireAPIKey bool     `help:"Answer only clients with an API key; health and the page stay open." name:"require-api-key"`
	Quota         int      `help:"Cost that a client, by API key or address, may spend in a minute unless its key has a quota; any for 0, ${default} unless given." default:"0" placeholder:"N"`
	AllowedHosts  []string `help:"Answer only requests for this host, a name or an address without port (repeatable); for any unless given." name:"allowed-hosts" placeholder:"HOST"`
}

// certified is the flag of commands that speak TLS.
type certified struct {
	TLSCert string `help:"File of a certificate and those that sign it, in PEM: HTTPS instead of HTTP. Loaded again when it changes and at SIGHUP." name:"tls-cert" placeholder:"FILE"`
}

// check checks what the flags' types do not.
func (c controlling) check() error {
	err := cmp.Or(within("--quota", c.Quota, 0, 1<<30), flagError("--allowed-hosts", httpapi.CheckHosts(c.AllowedHosts)))
	switch {
	case err != nil:
		return err
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return errors.New("--tls-cert, --tls-key: got one of them, want both or none")
	case c.RequireAPIKey && c.APIKeys == "":
		return errors.New("--require-api-key: got no --api-keys, want a file of keys")
	default:
		return nil
	}
}

// entrance is an open listener with the files that say who may pass.
type entrance struct {
	net.Listener
	certificate *certificate
	keys        *keyring
	files       []*reload.Files
}

// enter loads the files, and opens the listener of --listen.
func (l listening) enter(e *env) (*entrance, error) {
	n := &entrance{}
	if l.APIKeys != "" {
		n.keys = &keyring{path: l.APIKeys, env: e}
		n.files = append(n.files, &reload.Files{Paths: []string{l.APIKeys}, Load: n.keys.load, Loaded: e.reloaded("api_keys", "--api-keys", l.APIKeys)})
	}
	if l.TLSCert != "" {
		n.certificate = &certificate{cert: l.TLSCert, key: l.TLSKey}
		n.files = append(n.files, &reload.Files{
			Paths: []string{l.TLSCert, l.TLSKey}, Load: n.certificate.load, Loaded: e.reloaded("certificate", "--tls-cert", l.TLSCert),
		})
	}
	for _, f := range n.files {
		if err := f.Start(); err != nil {
			return nil, err
		}
	}
	var err error
	if n.Listener, err = listenAt(l.Listen); err != nil {
		return nil, fmt.Errorf("listening (--listen): %w", err)
	}
	return n, nil
}

// reloaded returns what logs and counts each new load of a file.
func (e *env) reloaded(file, flag, path string) func(error) {
	return func(err error) {
		if err != nil {
			e.events.reloads.WithLabelValues(file, "failed").Inc()
			e.log.Error("the file could not be loaded: what was loaded before stays in use", "flag", flag, "error", err)
			return
		}
		e.events.reloads.WithLabelValues(file, "loaded").Inc()
		e.log.Info("loaded again", "flag", flag, "file", path)
	}
}

// checkEvery is the time between two looks at the files.
const checkEvery = time.Second

// watch loads the files again when they change and at SIGHUP, until ctx ends and stop is
// called.
func (n *entrance) watch(ctx context.Context) (stop func()) {
	if len(n.files) == 0 {
		return func() {}
	}
	hangups, ignored := make(chan os.Signal, 1), signal.Ignored(syscall.SIGHUP)
	signal.Notify(hangups, syscall.SIGHUP)
	ticker := time.NewTicker(checkEvery)
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { reload.Run(ctx, ticker.C, hangups, n.files...) })
	return func() {
		cancel()
		watching.Wait()
		ticker.Stop()
		if signal.Stop(hangups); ignored {
			signal.Ignore(syscall.SIGHUP)
		}
	}
}

// access returns who may use the API, or nil if anybody may.
func (n *entrance) access(c controlling) *httpapi.Access {
	if n.keys == nil && c.Quota == 0 {
		return nil
	}
	a := &httpapi.Access{Required: c.RequireAPIKey, Quota: c.Quota}
	if n.keys != nil {
		a.Keys = n.keys.present.Load
	}
	return a
}

// serve serves what a listener accepts, one of the entrance's.
func (n *entrance) serve(server *http.Server, accepting net.Listener) error {
	if n.certificate == nil {
		return server.Serve(accepting)
	}
	server.TLSConfig = n.certificate.config()
	return server.ServeTLS(accepting, "", "")
}

// base returns the URL of the server, without a final slash; that of a Unix socket is
// http://unix:PATH: as in nginx.
func (n *entrance) base() string {
	scheme, address := "http://", n.Addr().String()
	if n.certificate != nil {
		scheme = "https://"
	}
	if n.Addr().Network() == "unix" {
		address = unixPrefix + address + ":"
	}
	return scheme + address
}

// unixPrefix begins the address of a Unix socket.
const unixPrefix = "unix:"

// listenAt opens a listener at an address of [checkAddress].
func listenAt(address string) (net.Listener, error) {
	path, ok := strings.CutPrefix(address, unixPrefix)
	if !ok {
		return net.Listen("tcp", address)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
		switch conn, err := net.Dial("unix", path); {
		case err == nil:
			return nil, errors.Join(fmt.Errorf("%s: a server listens there", path), conn.Close())
		case errors.Is(err, syscall.ECONNREFUSED):
			// A server that was killed has left it.
			if err := os.Remove(path); err != nil {
				return nil, err
			}
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o660); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}
