package subscribe

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"mintburn/internal/httpapi/negotiate"
)

const (
	// controlTime is how long a ping or a close may wait for a message that is being sent.
	controlTime = 5 * time.Second
	// maxID is the maximum length of an operation's id in bytes, which each of its results
	// repeats, and a close frame.
	maxID = 64
)

// The codes with which a connection is closed, besides those of RFC 6455.
const (
	CloseInvalid      = 4400
	CloseUnauthorized = 4401
	closeNoProtocol   = 4406
	closeInitTime     = 4408
	closeDuplicate    = 4409
	closeInitAgain    = 4429
	// CloseTryAgain is RFC 6455's code for an overloaded server, after which clients try again.
	CloseTryAgain = websocket.CloseTryAgainLater
)

// Operations runs the operations of a client.
type Operations interface {
	// Init reads the payload of connection_init, which is empty if there is none, and returns
	// the context of the operations, or why the client may have none.
	Init(ctx context.Context, payload []byte) (context.Context, *Rejection)
	// Admit returns the context of another operation, or why it may not run now.
	Admit(ctx context.Context) (context.Context, *Rejection)
	// Run runs the operation of a payload until ctx ends, and sends its results with next. It
	// returns why an operation failed. It is called concurrently.
	Run(ctx context.Context, payload []byte, next func(result []byte) error) *Rejection
}

// Rejection is the error of an operation, or of the whole connection.
type Rejection struct {
	// Code closes the connection, with a reason of at most 123 bytes, unless it is 0.
	Code   int
	Reason string
	// Errors are otherwise the errors of the operation, as a JSON array.
	Errors []byte
}

// Accept answers the handshake of a WebSocket, whose origin the caller has checked. Messages
// that are being sent have their buffers from a pool of [websocket.Conn]'s. Accept returns false if
// the request is no valid handshake; refuse then sends the error.
func Accept(w http.ResponseWriter, r *http.Request, buffers websocket.BufferPool, refuse func(status int, reason string)) (*websocket.Conn, bool) {
	upgrader := websocket.Upgrader{
		WriteBufferSize: 16 << 10, WriteBufferPool: buffers, Subprotocols: []string{string(negotiate.WebSocket)},
		CheckOrigin: func(*http.Request) bool { return true },
		Error:       func(_ http.ResponseWriter, _ *http.Request, status int, reason error) { refuse(status, reason.Error()) },
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	return conn, err == nil
}

// Socket is the connection of a client.
type Socket struct {
	Conn *websocket.Conn
	Times
	// Stopping ends when the server stops.
	Stopping context.Context
	// Operations runs the operations, at most MaxOperations at once. Busy are the errors of a
	// further one, as a JSON array.
	Operations    Operations
	MaxOperations int
	Busy          []byte
	// Read reads a message of at most MaxMessage bytes, and passes it to handle while it holds the
	// memory for it; full reports that there is none.
	Read       func(r io.Reader, handle func(text []byte)) (full bool, err error)
	MaxMessage int

	sending sync.Mutex // held while a message is sent

	mu sync.Mutex // guards the fields below
	// active holds the operations by id; cancelled ones are no longer in it, but still count as
	// running.
	active  map[string]*active
	running int
	closing bool
	// pings sends the next ping.
	pings *time.Timer
	// late ends a connection without connection_init, and operations are those of Run. Only Serve
	// uses them.
	late       *time.Timer
	operations sync.WaitGroup
}

// active is an operation that runs.
type active struct{ cancel context.CancelFunc }

// message is a message of the protocol.
type message struct {
	Type    string          `json:"type"`
	ID      string          `json:"id"`
	Payload json.RawMessage `json:"payload"`
}

// maxPing is the maximum length of a ping's payload in bytes, which its pong repeats.
const maxPing = 4 << 10

// Serve answers the messages of the client until the connection ends.
func (s *Socket) Serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	// Operations end after the connection.
	defer s.operations.Wait()
	defer cancel()
	defer func() { _ = s.Conn.Close() }()
	defer context.AfterFunc(s.Stopping, func() { s.close(websocket.CloseGoingAway, "the server stops") })() //nolint:contextcheck // Two contexts end it.
	if s.Conn.Subprotocol() == "" {
		s.close(closeNoProtocol, "Subprotocol not acceptable")
	}
	s.late = time.AfterFunc(s.Init, func() { s.close(closeInitTime, "Connection initialisation timeout") })
	defer s.late.Stop()
	s.mu.Lock()
	s.pings = time.AfterFunc(s.Ping, s.ping)
	s.mu.Unlock()
	// A timer keeps the connection in memory.
	defer s.stopPings()
	s.Conn.SetReadLimit(int64(s.MaxMessage))
	s.Conn.SetPongHandler(func(string) error { return s.alive() })
	// known is the context of the operations after connection_init.
	var known context.Context
	for s.alive() == nil {
		kind, r, err := s.Conn.NextReader()
		if err != nil {
			return
		}
		if s.ended() {
			continue
		}
		full, err := s.Read(r, func(text []byte) { known = s.handle(ctx, known, kind, text) })
		switch {
		case err != nil:
			return
		case full:
			s.close(CloseTryAgain, "too many large messages")
		}
	}
}

// handle answers a message. It returns the context of the operations, which is nil until
// connection_init.
func (s *Socket) handle(ctx, known context.Context, kind int, text []byte) context.Context {
	var m message
	if kind != websocket.TextMessage || json.Unmarshal(text, &m) != nil || len(m.ID) > maxID {
		s.close(CloseInvalid, "Invalid message received")
		return known
	}
	switch {
	case m.Type == "connection_init" && known != nil:
		s.close(closeInitAgain, "Too many initialisation requests")
	case m.Type == "connection_init":
		s.late.Stop()
		init, rejected := s.Operations.Init(ctx, m.Payload)
		if rejected != nil {
			s.close(rejected.Code, rejected.Reason)
			return nil
		}
		_ = s.send([]byte(`{"type":"connection_ack"}`))
		return init
	case m.Type == "subscribe" && known == nil:
		s.close(CloseUnauthorized, "Unauthorized")
	case m.Type == "subscribe" && m.ID != "":
		s.start(known, m.ID, m.Payload)
	case m.Type == "complete" && m.ID != "":
		s.end(m.ID)
	case m.Type == "ping" && len(m.Payload) > maxPing:
		s.close(CloseInvalid, fmt.Sprintf("ping: got a payload of %d bytes, want at most %d", len(m.Payload), maxPing))
	case m.Type == "ping" && m.Payload != nil:
		_ = s.send([]byte(`{"type":"pong","payload":`), m.Payload, []byte("}"))
	case m.Type == "ping":
		_ = s.send([]byte(`{"type":"pong"}`))
	case m.Type == "pong":
	default:
		s.close(CloseInvalid, "Invalid message received")
	}
	return known
}

// ping sends pings until the connection is closed.
func (s *Socket) ping() {
	err := s.Conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlTime))
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.pings != nil {
		s.pings.Reset(s.Ping)
	}
}

// stopPings ends the pings.
func (s *Socket) stopPings() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pings.Stop()
	s.pings = nil
}

// ended reports whether the connection is being closed, so that further messages are ignored.
func (s *Socket) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// alive notes that the client has sent something. It does nothing once the connection is being
// closed.
func (s *Socket) alive() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	return s.Conn.SetReadDeadline(time.Now().Add(2*s.Ping + s.Ping/4))
}

// close sends a close frame, once, and ends the operations. Serve then waits for the client's own
// close frame, because a connection that is closed with unread data may lose the frame.
func (s *Socket) close(code int, reason string) {
	s.mu.Lock()
	first := !s.closing
	s.closing = true
	for id, a := range s.active {
		a.cancel()
		delete(s.active, id)
	}
	s.mu.Unlock()
	if first {
		// An error means that the client is gone.
		_ = s.Conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(controlTime))
		_ = s.Conn.SetReadDeadline(time.Now().Add(stopTime))
	}
}

// start runs an operation.
func (s *Socket) start(ctx context.Context, id string, payload []byte) {
	// JSON can encode every string.
	quoted, _ := json.Marshal(id)
	send := func(kind string, payload []byte) error {
		if payload == nil {
			return s.send(fmt.Appendf(nil, `{"id":%s,"type":"%s"}`, quoted, kind))
		}
		return s.send(fmt.Appendf(nil, `{"id":%s,"type":"%s","payload":`, quoted, kind), payload, []byte("}"))
	}
	ctx, rejected := s.Operations.Admit(ctx)
	s.mu.Lock()
	_, duplicate := s.active[id]
	busy, closing := s.running >= s.MaxOperations, s.closing
	a := &active{}
	if !duplicate && !busy && !closing && rejected == nil {
		ctx, a.cancel = context.WithCancel(ctx)
		if s.active == nil {
			s.active = map[string]*active{}
		}
		s.active[id] = a
		s.running++
	}
	s.mu.Unlock()
	switch {
	case closing:
		return
	case duplicate:
		s.close(closeDuplicate, "Subscriber for "+id+" already exists")
		return
	case rejected != nil && rejected.Code != 0:
		s.close(rejected.Code, rejected.Reason)
		return
	case rejected != nil:
		_ = send("error", rejected.Errors)
		return
	case busy:
		_ = send("error", s.Busy)
		return
	}
	s.operations.Go(func() {
		defer a.cancel()
		rejected := s.Operations.Run(ctx, payload, func(result []byte) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return send("next", result)
		})
		s.mu.Lock()
		s.running--
		ended := s.active[id] != a
		if !ended {
			delete(s.active, id)
		}
		s.mu.Unlock()
		switch {
		case ended: // The client has completed the operation, or the connection ends.
		case rejected != nil && rejected.Code != 0:
			s.close(rejected.Code, rejected.Reason)
		case rejected != nil:
			_ = send("error", rejected.Errors)
		default:
			_ = send("complete", nil)
		}
	})
}

// end ends an operation that the client has completed.
func (s *Socket) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.active[id]; a != nil {
		a.cancel()
		delete(s.active, id)
	}
}

// send sends the parts of a message. An error ends the connection.
func (s *Socket) send(parts ...[]byte) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	_ = s.Conn.SetWriteDeadline(time.Now().Add(s.Write))
	w, err := s.Conn.NextWriter(websocket.TextMessage)
	for i := 0; err == nil && i < len(parts); i++ {
		_, err = w.Write(parts[i])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		_ = s.Conn.Close()
	}
	return err
}
