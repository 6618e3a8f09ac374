package socket

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// mostIdle is the most idle connections to one endpoint. All connections together are not
	// bounded: a read that has the slot of a large answer, see package slot, may need another.
	mostIdle = 8
	// maxIdle is the time after which a connection is not used again. Servers close
	// those whose client does not answer their pings, which are read with answers only.
	maxIdle = 20 * time.Second
)

// Transport is an [http.RoundTripper] for WebSocket URLs: the body of a request is sent as one
// message, and the next message is the body of the response, a [Messages]. A connection has one
// request at a time, so that answers are read within the same bounds as those over HTTP.
type Transport struct {
	mu   sync.Mutex
	idle []*socket
}

// socket is a connection that has no request, since a time.
type socket struct {
	*websocket.Conn
	since time.Time
}

// RoundTrip implements [http.RoundTripper]. A server that answers the handshake otherwise
// returns that response.
func (s *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for {
		conn := s.take()
		fresh := conn == nil
		if fresh {
			var refused *http.Response
			if conn, refused, err = dial(r); refused != nil {
				return refused, nil
			} else if err != nil {
				return nil, cmp.Or(r.Context().Err(), err)
			}
		}
		answer := &Messages{sockets: s, conn: conn, ctx: r.Context()}
		answer.stop = context.AfterFunc(r.Context(), func() { _ = conn.Close() })
		if err = conn.WriteMessage(websocket.TextMessage, body); err == nil {
			_, answer.r, err = conn.NextReader()
		}
		if err == nil {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: answer, ContentLength: -1, Request: r}, nil
		}
		answer.stop()
		_ = conn.Close()
		// The server may have closed an idle connection.
		if fresh || r.Context().Err() != nil {
			return nil, cmp.Or(r.Context().Err(), err)
		}
	}
}

// dial opens a connection with the headers of a request. If the server answers the
// handshake otherwise, dial returns its response.
func dial(r *http.Request) (*socket, *http.Response, error) {
	// The client has made a header of the credentials.
	u := *r.URL
	u.User = nil
	dialer := &websocket.Dialer{Proxy: http.ProxyFromEnvironment}
	conn, response, err := dialer.DialContext(r.Context(), u.String(), r.Header)
	if err == nil {
		return &socket{Conn: conn}, nil, nil
	}
	if response != nil && errors.Is(err, websocket.ErrBadHandshake) {
		response.Request = r
		return nil, response, nil
	}
	return nil, nil, err
}

// take returns an idle connection, or nil, and closes those that were idle for too long.
func (s *Transport) take() *socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.idle) > 0 {
		conn := s.idle[len(s.idle)-1]
		s.idle = s.idle[:len(s.idle)-1]
		if time.Since(conn.since) < maxIdle {
			return conn
		}
		_ = conn.Close()
	}
	return nil
}

// CloseIdleConnections implements the interface that [http.Client.CloseIdleConnections] uses.
func (s *Transport) CloseIdleConnections() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.idle {
		_ = conn.Close()
	}
	s.idle = nil
}

// Messages is the body of a response: the next message of its connection.
type Messages struct {
	sockets *Transport
	conn    *socket
	ctx     context.Context //nolint:containedctx // that of the request
	stop    func() bool
	r       io.Reader // nil before a message
	whole   bool
	skipped bool
}

// Read implements [io.Reader].
func (m *Messages) Read(p []byte) (n int, err error) {
	if m.r == nil {
		_, m.r, err = m.conn.NextReader()
	}
	if err == nil {
		n, err = m.r.Read(p)
	}
	if m.whole = errors.Is(err, io.EOF); m.whole || err == nil {
		return n, err
	}
	return n, cmp.Or(m.ctx.Err(), err)
}

// Skip continues with the next message, because this one is not the answer. The connection is
// not used for another request. m may be nil.
func (m *Messages) Skip() {
	if m != nil {
		m.r, m.skipped = nil, true
	}
}

// Close keeps the connection for the next request if the message was read to its end.
func (m *Messages) Close() error {
	m.sockets.mu.Lock()
	defer m.sockets.mu.Unlock()
	if !m.stop() || !m.whole || m.skipped || len(m.sockets.idle) >= mostIdle {
		return m.conn.Close()
	}
	m.conn.since = time.Now()
	m.sockets.idle = append(m.sockets.idle, m.conn)
	return nil
}
