package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mintburn/internal/nft"
)

// status returns the HTTP status of an operation's response. Specification: GraphQL over HTTP,
// "Response".
func (o outcome) status(m mediaType) int {
	switch {
	case o.failed == nil && o.response.Data != nil:
		return http.StatusOK
	case o.failed != nil && o.failed.status != 0:
		return o.failed.status
	case m == legacyJSON:
		return http.StatusOK
	default:
		return http.StatusBadRequest
	}
}

// errors returns the errors in the answer.
func (o outcome) errors() gqlerror.List {
	if o.failed != nil {
		return o.failed.errors
	}
	return o.response.Errors
}

// appendTo writes the response as JSON, without data if the operation did not run.
func (o outcome) appendTo(b *buffer) error {
	list := o.errors()
	var extensions map[string]any
	var data []byte
	if o.failed == nil {
		data, extensions = o.response.Data, o.response.Extensions
	}
	separator := "{"
	member := func(name string, value any) error {
		text, err := json.Marshal(value)
		b.WriteString(separator + `"` + name + `":`)
		b.Write(text)
		separator = ","
		return err
	}
	if len(list) > 0 {
		if err := member("errors", list); err != nil {
			return err
		}
	}
	if data != nil {
		b.Grow(len(data) + 64)
		b.WriteString(separator + `"data":`)
		b.Write(data)
		separator = ","
	}
	if len(extensions) > 0 {
		if err := member("extensions", extensions); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// write sends the response to one operation.
func (e *endpoint) write(w http.ResponseWriter, r *http.Request, m mediaType, done outcome) {
	if done.large() {
		a := encoded{parts: [][]byte{[]byte(`{"data":`), done.response.Data, []byte("}")}}
		if compressed, coding := e.compress(r, a.parts...); coding != "" {
			a = encoded{body: compressed, coding: coding}
		}
		e.deliver(w, r, m, http.StatusOK, a)
		return
	}
	b := e.budget.buffer(r)
	defer e.budget.drop(b)
	if done.failed != nil {
		done.failed.setHeader(w.Header())
	}
	e.metrics.failed(done.errors())
	status := done.status(m)
	if err := done.appendTo(b); err != nil {
		e.Log.ErrorContext(r.Context(), "writing a response", "error", err)
		status, done.final = http.StatusInternalServerError, nil
		b.Reset()
		b.WriteString(internalError)
	}
	if done.size != nil {
		// The answer has been copied to another buffer.
		done.size.free()
	}
	e.send(w, r, m, status, b, done.final)
}

// large reports whether an answer consists of data only, and is too long to copy.
func (o outcome) large() bool {
	return o.failed == nil && o.final == nil && len(o.response.Data) > pooledBuffer && len(o.response.Errors) == 0 && len(o.response.Extensions) == 0
}

// send sends a body. f is nil unless the answer cannot change any more. A large body keeps its
// reserved memory until it is written to the client.
func (e *endpoint) send(w http.ResponseWriter, r *http.Request, m mediaType, status int, b *buffer, f *final) {
	if !e.budget.hold(b, b.Len()) {
		e.sendBusy(w, r, m, b)
		return
	}
	var a encoded
	if f != nil && f.public {
		a.tag, a.immutable = tagOf(b.Bytes()), f.verified
	}
	if a.body, a.coding = e.compress(r, b.Bytes()); a.coding == "" {
		a.body = b.Bytes()
	}
	if f != nil && f.key != "" && !f.advances {
		e.responses.put(f, a)
	}
	e.deliver(w, r, m, status, a)
}

// compress compresses the parts of a body. A large body needs a slot. Without a free slot, it
// stays uncompressed and coding is "".
func (e *endpoint) compress(r *http.Request, parts ...[]byte) (compressed []byte, coding string) {
	length := lengthOf(parts)
	if length > smallBuffer && chooseCoding(r.Header, codings...) != "" {
		s, failed := e.limiter.enterFor(r.Context(), e.clients.of(r), length/bytesPerCost)
		defer s.leave()
		if failed != nil {
			return nil, ""
		}
	}
	return e.compressors.compress(r.Header, parts...)
}

func lengthOf(parts [][]byte) (n int) {
	for _, part := range parts {
		n += len(part)
	}
	return n
}

// sendBusy sends the error that no memory is left, encoded in b.
func (e *endpoint) sendBusy(w http.ResponseWriter, r *http.Request, m mediaType, b *buffer) {
	b.Reset()
	// JSON can encode every value of the error.
	_ = outcome{failed: busy("too many large answers")}.appendTo(b)
	w.Header().Set("Retry-After", "1")
	e.deliver(w, r, m, http.StatusServiceUnavailable, encoded{body: b.Bytes()})
}

// deliver writes an answer and its headers.
func (e *endpoint) deliver(w http.ResponseWriter, r *http.Request, m mediaType, status int, a encoded) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	h.Add("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-store")
	if a.tag != "" {
		allowCaching(h, a, e.access == nil || !e.access.Required)
		if matches(r.Header.Values("If-None-Match"), a.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	h.Set("Content-Type", string(m)+"; charset=utf-8")
	if a.coding != "" {
		h.Set("Content-Encoding", a.coding)
	}
	h.Set("Content-Length", strconv.Itoa(len(a.body)+lengthOf(a.parts)))
	w.WriteHeader(status)
	// An error means that the client is gone.
	_, _ = w.Write(a.body)
	for _, part := range a.parts {
		_, _ = w.Write(part)
	}
}

// minCompressed is the size in bytes of the smallest compressed answer. Smaller ones fit into
// one packet anyway.
const minCompressed = 1_200

// codings are the supported content codings. gzip wins over zstd at the same weight, because
// some clients accept zstd by default and cannot decode it.
var codings = []string{"gzip", "zstd"}

// zstdOptions are the options of the encoders.
var zstdOptions = []zstd.EOption{
	zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1 << 20), zstd.WithEncoderConcurrency(1),
}

// compressors holds the idle compressors, of each kind one per processor. They compress
// whole answers before they are sent, so slow clients do not occupy them.
type compressors struct {
	zstds chan *zstd.Encoder
	gzips chan *gzip.Writer
}

func newCompressors() *compressors {
	processors := runtime.GOMAXPROCS(0)
	p := &compressors{zstds: make(chan *zstd.Encoder, processors), gzips: make(chan *gzip.Writer, processors)}
	for range processors {
		// These functions fail only on invalid options.
		z, _ := zstd.NewWriter(nil, zstdOptions...)
		g, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		p.zstds <- z
		p.gzips <- g
	}
	return p
}

// compress returns the parts of a body in the client's preferred coding, and the coding's
// name. The name is "" if the body is small or the client prefers it uncompressed.
func (p *compressors) compress(h http.Header, parts ...[]byte) (compressed []byte, coding string) {
	length := lengthOf(parts)
	if length < minCompressed {
		return nil, ""
	}
	switch coding := chooseCoding(h, codings...); coding {
	case "zstd":
		w := <-p.zstds
		defer func() { p.zstds <- w }()
		if len(parts) == 1 {
			return w.EncodeAll(parts[0], make([]byte, 0, length/4)), coding
		}
		return compressInto(w, parts, length), coding
	case "gzip":
		w := <-p.gzips
		defer func() { p.gzips <- w }()
		return compressInto(w, parts, length), coding
	default:
		return nil, ""
	}
}

// compressor encodes one of the codings.
type compressor interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// compressInto compresses the parts of a body with w.
func compressInto(w compressor, parts [][]byte, length int) []byte {
	compressed := bytes.NewBuffer(make([]byte, 0, length/4))
	w.Reset(compressed)
	for _, part := range parts {
		// Writing to a buffer cannot fail.
		_, _ = w.Write(part)
	}
	_ = w.Close()
	return compressed.Bytes()
}

// chooseCoding returns the offered coding that a client prefers, the first at equal weights,
// or "" for none. RFC 9110, section 12.5.3.
func chooseCoding(h http.Header, offered ...string) string {
	weights := make(map[string]float64, len(offered))
	anything, any := 0.0, false
	eachWeighted(h.Values("Accept-Encoding"), func(name, _ string, weight float64) {
		if name == "*" {
			anything, any = weight, true
			return
		}
		weights[name] = weight
	})
	best, most := "", 0.0
	for _, name := range offered {
		weight, named := weights[name]
		if !named && any {
			weight = anything
		}
		if weight > most {
			best, most = name, weight
		}
	}
	return best
}

// answerSize bounds the answer to a request, over all operations of a batch, while it is
// written.
type answerSize struct {
	budget *memoryBudget
	max    int

	mu sync.Mutex // guards the fields below
	// buffer holds the answer's part of the budget.
	buffer buffer
	size   int
	// held is how many bytes were read for the answer.
	held int64
	// failed is the error that ended the answer, or nil.
	failed *requestError
	// first is the growth of the first operation.
	first growing
}

// answerSize returns the size of an answer of at most so many bytes. The caller must call
// release.
func (m *memoryBudget) answerSize(r *http.Request, most int) *answerSize {
	a := m.sizes.Get().(*answerSize)
	a.budget, a.max, a.buffer.request = m, most, r
	return a
}

// operation returns the growth of another operation.
func (a *answerSize) operation() *growing {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first.all == nil {
		a.first.all = a
		return &a.first
	}
	return &growing{all: a}
}

// free returns the answer's part of the budget, once the answer is in another buffer.
func (a *answerSize) free() { a.budget.release(&a.buffer) }

// release returns the size to the pool.
func (a *answerSize) release() {
	a.free()
	a.buffer.request, a.size, a.held, a.failed, a.first = nil, 0, 0, nil, growing{}
	a.budget.sizes.Put(a)
}

// growing is the size of the answer to one operation.
type growing struct {
	all *answerSize
	// held is the operation's part of the budget in bytes.
	size, held int
}

// Grow implements [fastql.Growth].
func (g *growing) Grow(size, capacity int) error {
	if capacity <= pooledBuffer {
		// A buffer of this capacity is reused.
		capacity = size
	}
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	a.size += size - g.size
	g.size = size
	switch more := capacity - g.held; {
	case a.failed != nil:
	case a.size > a.max:
		a.failed = failf(nft.QueryTooCostly, "the answer is too long: want at most %d bytes; ask for smaller pages or fewer fields", a.max)
		a.failed.errors[0].Extensions["maxAnswer"] = a.max
	case more > 0 && capacity > smallBuffer:
		g.held = capacity
		if !a.budget.take(&a.buffer, more) {
			a.failed = busy("too many large answers")
		}
	}
	return a.ended()
}

// Hold implements [fastql.Growth]. A text is in memory twice, as read and in the answer, so
// texts may use half of the answer's bytes.
func (g *growing) Hold(n int64) (excess int64, err error) {
	a := g.all
	a.mu.Lock()
	defer a.mu.Unlock()
	switch excess = a.held + n - int64(a.max/2); {
	case a.failed != nil:
	case excess > 0:
		return excess, nil
	case a.budget.take(&a.buffer, int(n)):
		a.held += n
	default:
		a.failed = busy("too many large answers")
	}
	return 0, a.ended()
}

// ended returns an error for resolvers if the answer has ended. The caller must hold mu.
func (a *answerSize) ended() error {
	if a.failed == nil {
		return nil
	}
	return nft.Errorf(nft.QueryTooCostly, "%s", a.failed.errors[0].Message)
}

// why returns the error that ended the answer, or nil.
func (a *answerSize) why() *requestError {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}
