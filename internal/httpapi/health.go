package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/retrying"
)

// ready answers whether the server should get requests, or a chain at its own path. Of several chains
// one is enough.
func (c *chains) ready(w http.ResponseWriter, r *http.Request) {
	if one := c.at(r.Context()); c.only() != nil || admit.ChainOf(r.Context()) != "" {
		reason := c.reason(r.Context(), one.Ready(r.Context()))
		if reason == "" {
			writeState(w, http.StatusOK, "ready")
		} else {
			writeState(w, http.StatusServiceUnavailable, "not ready: "+reason)
		}
		return
	}
	status, lines := http.StatusServiceUnavailable, []string(nil)
	for _, s := range c.states(r.Context()) {
		if s.Ready {
			status = http.StatusOK
			lines = append(lines, s.Name+": ready")
		} else {
			lines = append(lines, s.Name+": not ready: "+*s.Reason)
		}
	}
	writeState(w, status, strings.Join(lines, "\n"))
}

// reason returns what a client sees of why a chain is not ready, or "" if it is.
func (c *chains) reason(ctx context.Context, err error) string {
	if err == nil {
		return ""
	}
	c.log.WarnContext(ctx, "not ready", "error", err)
	if known := new(apierror.Error); errors.As(err, &known) {
		return known.Message
	}
	return "see the log"
}

// states returns the states of all chains, in the order of the configuration.
func (c *chains) states(ctx context.Context) []ChainState {
	list := make([]ChainState, len(c.list))
	var all sync.WaitGroup
	for i, one := range c.list {
		all.Go(func() { list[i] = c.state(admit.OnChain(ctx, one.Name), one) })
	}
	all.Wait()
	return list
}

// state returns the state of a chain, which is not ready if it does not answer in time.
func (c *chains) state(ctx context.Context, one *chain) ChainState {
	ctx, cancel := context.WithTimeout(ctx, StateTime)
	defer cancel()
	found := make(chan ChainState, 1)
	go func() {
		var s ChainState
		// A panic outside the goroutine of the request would end the server.
		err := retrying.Catch(func() (err error) {
			if s, err = one.State(ctx); err == nil {
				err = one.Ready(ctx)
			}
			return err
		})
		if ctx.Err() == nil {
			s.Name, s.Path, s.Ready = one.Name, "/"+one.Name+"/", err == nil
			if reason := c.reason(ctx, err); reason != "" {
				s.Reason = &reason
			}
			found <- s
		}
	}()
	select {
	case s := <-found:
		return s
	case <-ctx.Done():
		return ChainState{Name: one.Name, Path: "/" + one.Name + "/", Reason: new("no answer")}
	}
}

// describe answers with the states of the chains that the client's key is for.
func (c *chains) describe(w http.ResponseWriter, r *http.Request) {
	shown := []ChainState{}
	for _, s := range c.states(r.Context()) {
		if c.callers == nil || c.callers.ForChain(admit.OnChain(r.Context(), s.Name)) == nil {
			shown = append(shown, s)
		}
	}
	// JSON can encode every value of a state.
	text, _ := json.Marshal(map[string][]ChainState{"chains": shown})
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	// An error means that the client is gone.
	_, _ = w.Write(text)
}

func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok\n"))
}

// writeState reports as lines of text whether the server is ready for requests.
func writeState(w http.ResponseWriter, status int, state string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(state + "\n"))
}

// keyed serves next only to clients that may use the API. of is "", or everyChain for clients with a key for
// all chains, if keys are required.
func (e *endpoint) keyed(of string, next http.Handler) http.Handler {
	if e.Callers == nil || of == everyChain && !e.Callers.Required {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if failed := e.Callers.Admit(admit.OnChain(r.Context(), of)); failed != nil {
			e.sender.Fail(w, r, failed)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// everyChain is no name of a chain.
const everyChain = "*"
