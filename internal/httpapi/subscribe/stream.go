package subscribe

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"mintburn/internal/httpapi/negotiate"
)

// Times bound how long a stream waits for its client.
type Times struct {
	// Write is how long a client may take to receive a message.
	Write time.Duration
	// Beat is the time between two signs of life of an HTTP stream without results, and Ping
	// that between two pings of a WebSocket. A client that sends nothing for two and a quarter
	// times Ping, not even a pong, is gone.
	Beat, Ping time.Duration
	// Init is how long the client of a WebSocket may take to send connection_init.
	Init time.Duration
	// Key is the time between two checks whether the key of a client that waits is still valid.
	Key time.Duration
}

// DefaultTimes are the times of docs/limits.md.
var DefaultTimes = Times{Write: 30 * time.Second, Beat: 10 * time.Second, Ping: 20 * time.Second, Init: 10 * time.Second, Key: 2 * time.Second}

// stopTime is how long a client may take to receive the end of a stream when the server stops.
const stopTime = 2 * time.Second

// form is how a media type frames results. stop is the end of a stream when the server stops, and
// "" ends it in the middle of the answer.
type form struct{ header, start, before, after, beat, end, stop string }

// A part of a multipart stream ends with the next boundary, so each part is sent with it.
var forms = map[negotiate.MediaType]form{
	// An event without data does not reach listeners, so complete has empty data.
	negotiate.EventStream: {header: string(negotiate.EventStream), start: ":\n\n", before: "event: next\ndata: ", after: "\n\n", beat: ":\n\n", end: "event: complete\ndata:\n\n"},
	negotiate.Multipart: {
		// Apollo's client for iOS compares the parameter and this header as texts.
		header: `multipart/mixed;boundary="-";subscriptionSpec=1.0`, start: "\r\n---", before: part + `{"payload":`, after: "}\r\n---", beat: part + "{}\r\n---", end: "--\r\n",
		stop: part + `{"payload":null,"errors":%s}` + "\r\n-----\r\n",
	},
}

const part = "\r\ncontent-type: application/json\r\n\r\n"

// Stream is an HTTP response with many results. Its methods must be called one after another.
type Stream struct {
	form
	w       http.ResponseWriter
	control *http.ResponseController
	write   time.Duration
	opened  bool
	// leave stops the watch over the server's stopping.
	leave func() bool

	mu sync.Mutex // guards the fields below, and is held while a deadline is set
	// until is stopTime after the server began to stop, or zero.
	until time.Time
	ended bool
}

// NewStream returns a stream in a media type of [negotiate.ChooseStream]. The status and the
// header are sent with the first message, each of which the client must receive within write, or
// sooner once stopping has ended. The caller must call [Stream.End] or [Stream.Leave].
func NewStream(stopping context.Context, w http.ResponseWriter, media negotiate.MediaType, write time.Duration) *Stream {
	s := &Stream{form: forms[media], w: w, control: http.NewResponseController(w), write: write}
	s.leave = context.AfterFunc(stopping, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.until = time.Now().Add(stopTime); !s.ended {
			_ = s.control.SetWriteDeadline(s.until)
		}
	})
	return s
}

// Opened reports whether the status was sent.
func (s *Stream) Opened() bool { return s.opened }

// Next sends a result, which has no line breaks. An error means that the client is gone.
func (s *Stream) Next(result []byte) error {
	return s.Send([]byte(s.before), result, []byte(s.after))
}

// Beat sends a sign of life, which clients ignore.
func (s *Stream) Beat() error { return s.Send([]byte(s.beat)) }

// End sends the end of the stream.
func (s *Stream) End() {
	// An error means that the client is gone.
	_ = s.Send([]byte(s.end))
	s.Leave()
}

// Stop ends the stream of a server that stops, so that its client subscribes again: in parts with
// errors, a JSON array, and as events without an end, which takes an [http.ErrAbortHandler].
func (s *Stream) Stop(errors []byte) {
	defer s.Leave()
	if s.stop == "" {
		panic(http.ErrAbortHandler)
	}
	// An error means that the client is gone.
	_ = s.Send(fmt.Appendf(nil, s.stop, errors))
}

// Leave ends the use of the response by the stream.
func (s *Stream) Leave() {
	s.leave()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
}

// Send sends the parts of a message as they are.
func (s *Stream) Send(parts ...[]byte) error {
	s.deadline(time.Now().Add(s.write))
	if !s.opened {
		s.open()
	}
	for _, p := range parts {
		if _, err := s.w.Write(p); err != nil {
			return err
		}
	}
	err := s.control.Flush()
	// HTTP/2 ends a stream at its deadline, even if nothing is being written.
	s.deadline(time.Time{})
	return err
}

// deadline sets the time at which sending fails, unless the server stops.
func (s *Stream) deadline(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until.IsZero() {
		_ = s.control.SetWriteDeadline(t)
	}
}

// open writes the header.
func (s *Stream) open() {
	s.opened = true
	h := s.w.Header()
	h.Set("Content-Type", s.header)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	// nginx would keep the results until its buffer is full.
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	_, _ = s.w.Write([]byte(s.start))
}
