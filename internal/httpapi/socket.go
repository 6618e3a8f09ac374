package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/failure"
	"mintburn/internal/httpapi/negotiate"
	"mintburn/internal/httpapi/observe"
	"mintburn/internal/httpapi/subscribe"
)

// socket answers the operations of a WebSocket. Browsers apply no CORS to WebSockets, so its
// origin must be the server's own, or one that may read answers.
func (e *endpoint) socket(w http.ResponseWriter, r *http.Request) {
	refuse := func(failed *failure.Error) { e.sender.Write(w, r, negotiate.JSON, execute.Outcome{Failed: failed}) }
	if origin := r.Header.Get("Origin"); origin != "" && !own(origin, r.Host) && !e.origins.may(origin) {
		refuse(failure.WithStatus(http.StatusForbidden, apierror.BadUserInput, "the WebSocket comes from a page of another origin: want a page of this server, or of an origin that --cors-origin names"))
		return
	}
	conn, ok := subscribe.Accept(w, r, &e.messages, func(status int, reason string) {
		refuse(failure.WithStatus(status, apierror.BadUserInput, "invalid handshake (%s): want that of a WebSocket, by GET", reason))
	})
	if !ok {
		return
	}
	x := observe.Of(r.Context())
	x.Route = observe.Stream
	defer e.streams.Begin()()
	c := &socketClient{e, r, admit.ChainOf(r.Context()) != ""}
	// JSON can encode every value of the error.
	busy, _ := json.Marshal(failure.WithStatus(0, apierror.RateLimited, "the connection has %d operations: want at most %d", e.Limits.ClientSubscriptions, e.Limits.ClientSubscriptions).Errors)
	// Connections are bounded by their number, but not their headers.
	_, size := memoryOf(r)
	e.Budget.Release(x.Held)
	e.Budget.Take(x.Held, size-requestBytes)
	(&subscribe.Socket{
		Conn: conn, Times: e.Limits.Times, Stopping: e.streams.Stopping,
		Operations: c, MaxOperations: e.Limits.ClientSubscriptions, Busy: busy, Read: c.read, MaxMessage: e.Limits.Body,
	}).Serve(r.Context())
}

// socketClient is the client of a WebSocket.
type socketClient struct {
	e       *endpoint
	request *http.Request
	// named reports that the path names a chain.
	named bool
}

// read reads a message, which counts twice: handle copies its payload.
func (c *socketClient) read(r io.Reader, handle func(text []byte)) (full bool, err error) {
	b := c.e.Budget.Buffer(c.request)
	defer c.e.Budget.Drop(b)
	if full, err = c.e.Budget.Fill(b, r); err != nil || full || !c.e.Budget.Take(b, b.Len()) {
		return err == nil, err
	}
	handle(b.Bytes())
	return false, nil
}

// Init implements [subscribe.Operations]: a key in the payload identifies the client.
func (c *socketClient) Init(ctx context.Context, payload []byte) (context.Context, *subscribe.Rejection) {
	var init struct {
		APIKey string `json:"apiKey"`
	}
	if len(payload) > 0 && json.Unmarshal(payload, &init) != nil {
		return ctx, &subscribe.Rejection{Code: subscribe.CloseInvalid, Reason: "connection_init: want an object whose apiKey is a string"}
	}
	if c.e.Callers == nil {
		return ctx, nil
	}
	ctx, failed := c.e.Callers.Connected(ctx, init.APIKey)
	rejected := c.rejection(failed)
	if rejected != nil && rejected.Code == 0 {
		rejected.Code, rejected.Reason = subscribe.CloseTryAgain, failure.Brief(failed.Errors[0].Message, 100)
	}
	return ctx, rejected
}

// Admit implements [subscribe.Operations]: an operation costs what a request costs.
func (c *socketClient) Admit(ctx context.Context) (context.Context, *subscribe.Rejection) {
	if c.e.Callers == nil {
		return ctx, nil
	}
	ctx, failed := c.e.Callers.Next(ctx)
	return ctx, c.rejection(failed)
}

// Run implements [subscribe.Operations].
func (c *socketClient) Run(ctx context.Context, payload []byte, next func([]byte) error) *subscribe.Rejection {
	return c.rejection(c.operate(c.request.WithContext(ctx), payload, next))
}

// rejection counts an error, and returns it as its client gets it. One of a key ends the connection.
func (c *socketClient) rejection(failed *failure.Error) *subscribe.Rejection {
	if failed == nil {
		return nil
	}
	c.e.Observer.Failed(failed.Errors)
	// At /graphql, a key that is for other chains is an error of its message only.
	if failed.Status == http.StatusUnauthorized && (c.named || failed.Errors[0].Message != admit.OtherChain) {
		return &subscribe.Rejection{Code: subscribe.CloseUnauthorized, Reason: "Unauthorized"}
	}
	// JSON can encode every value of an error.
	errors, _ := json.Marshal(failed.Errors)
	return &subscribe.Rejection{Errors: errors}
}

// operate runs an operation, and sends its results with next.
func (c *socketClient) operate(r *http.Request, payload []byte, next func([]byte) error) (failed *failure.Error) {
	var done execute.Outcome
	defer func() { failed = done.Failed }()
	defer c.e.executor.Catch(r.Context(), &done)
	b, client := c.e.Budget.Buffer(r), c.e.clients.Of(r)
	defer c.e.Budget.Drop(b)
	if !c.e.Budget.Take(b, requestBytes+2*len(payload)) {
		return failure.Busy("too many open requests")
	}
	size := c.e.Budget.AnswerSize(client, c.e.Limits.Answer)
	defer size.Release()
	done = c.operation(r, payload, size)
	switch {
	case done.Failed != nil:
	case done.Subscribed != nil:
		leave, refused := c.e.open(b, client, done.Subscribed.Memory)
		if done.Failed = refused; refused == nil {
			defer leave()
			done.Failed = c.e.chains.named[done.Subscribed.Chain.Name].batches.Subscribe(r.Context(), done.Subscribed, socketSink(next))
		}
	case done.AppendTo(b) != nil:
		done.Failed = failure.WithStatus(http.StatusInternalServerError, apierror.Internal, "internal error")
	case !c.e.Budget.Hold(b, b.Len()):
		done.Failed = failure.Busy("too many large answers")
	default:
		c.e.Observer.Failed(done.Errors())
		// An error means that the client is gone.
		_ = next(b.Bytes())
	}
	return nil
}

// operation reads an operation, and runs it unless it is a subscription.
func (c *socketClient) operation(r *http.Request, payload []byte, size *admit.AnswerSize) execute.Outcome {
	ctx, cancel := context.WithTimeout(r.Context(), c.e.Limits.Timeout)
	defer cancel()
	list, batch, failed := c.e.read(ctx, c.e.clients.Of(r), bytes.NewBuffer(payload))
	switch {
	case failed != nil:
		return execute.Outcome{Failed: failed}
	case batch:
		return execute.Outcome{Failed: failure.BadRequest("the payload is an array: want one operation")}
	}
	one := &list[0]
	one.Client, one.Size, one.Stream, one.Bytes = c.e.clients.Of(r), size, negotiate.WebSocket, len(payload)
	return c.e.executor.Answer(ctx, one)
}

// socketSink sends batches to a WebSocket, which has its own signs of life.
type socketSink func([]byte) error

// Next implements [batches.Sink].
func (s socketSink) Next(text []byte) error { return s(text) }

// Beat implements [batches.Sink].
func (socketSink) Beat() error { return nil }
