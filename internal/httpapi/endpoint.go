package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"golang.org/x/sync/errgroup"

	"mintburn/internal/nft"
)

// endpoint answers GraphQL over HTTP.
type endpoint struct {
	limits    Limits
	executor  *executor.Executor
	recover   graphql.RecoverFunc
	bounded   func(context.Context, Growth) context.Context
	final     func(context.Context, *ast.OperationDefinition, map[string]any) (string, bool, error)
	answers   *answers
	documents *documents
	// persisted has documents by hash; trusted is nil where any document runs.
	persisted *persisted
	trusted   *trusted
	prices    prices
	limiter   *limiter
	clients   *clients
	budget    *memoryBudget
	packer    *packer
	origins   origins
	metrics   *metrics
	outage    outage
	log       *slog.Logger
}

func newEndpoint(c Config) (*endpoint, error) {
	run := executor.New(c.Schema)
	run.SetErrorPresenter(c.ErrorPresenter)
	run.SetRecoverFunc(c.Recover)
	for _, extension := range c.Extensions {
		run.Use(extension)
	}
	allowed, err := newOrigins(c.Origins)
	if err != nil {
		return nil, err
	}
	e := &endpoint{
		limits: c.Limits, executor: run, recover: c.Recover, final: c.Final, bounded: c.Bounded, log: c.Log, origins: allowed,
		documents: newDocuments(c.Schema.Schema(), c.Scalars, c.Introspection, c.Limits),
		persisted: newPersisted(),
		answers:   newAnswers(c.AnswerCache, c.Generation),
		prices:    newPrices(c.Schema.Schema()),
		packer:    newPacker(), metrics: newMetrics(c.Registry, c.Collector),
	}
	// Half of the time is left for the operation itself.
	e.limiter = newLimiter(c.Limits.Concurrency, c.Limits.Timeout/2, e.metrics.limiter)
	e.metrics.registry.MustRegister(e.limiter.gauge())
	if e.clients, err = newClients(c.TrustedProxies, c.Log); err != nil {
		return nil, err
	}
	e.budget = newMemoryBudget(budgetBytes, e.clients)
	// The last is the innermost.
	run.AroundResponses(e.noteFinal)
	if c.TrustedDocuments != "" {
		e.trusted, err = readTrusted(c.TrustedDocuments, e.documents)
	}
	return e, err
}

// guard handles requests that must not reach the mux as they are.
func (e *endpoint) guard(next http.Handler) http.Handler {
	unclean := e.metrics.of("rest", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.refuse(w, r, malformed(`the path has an empty part, "." or "..": want one of the routes of /openapi.json`))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			// A Content-Length beside it may have led a proxy to see other requests in
			// this connection. net/http has removed that header, so that every chunked
			// request counts as such. RFC 9112, section 6.1.
			w.Header().Set("Connection", "close")
		}
		if !isClean(r.URL.EscapedPath()) {
			// The mux would redirect to the clean path, where another route may be.
			unclean.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isClean reports whether ServeMux takes a path as it is.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == "" || p == clean || clean != "/" && p == clean+"/"
}

// ServeHTTP answers POST, GET and HEAD. Specification: GraphQL over HTTP, "Request".
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.origins.allow(w.Header(), r.Header)
	m, refused := negotiate(r.Header)
	if refused == nil {
		refused = e.origins.check(r)
	}
	if refused != nil {
		e.write(w, r, m, outcome{refused: refused})
		return
	}
	switch r.Method {
	case http.MethodPost:
		e.post(w, r, m)
	case http.MethodGet, http.MethodHead:
		e.get(w, r, m)
	case http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
		w.WriteHeader(http.StatusNoContent)
	default:
		refused := refuseWith(http.StatusMethodNotAllowed, nft.BadUserInput, "the method has no meaning here: want GET, HEAD or POST")
		refused.header = map[string]string{"Allow": allowedMethods}
		e.write(w, r, m, outcome{refused: refused})
	}
}

const allowedMethods = "GET, HEAD, POST, OPTIONS"

// get answers a GET or HEAD.
func (e *endpoint) get(w http.ResponseWriter, r *http.Request, m mediaType) {
	ctx, cancel := context.WithTimeout(r.Context(), e.limits.Timeout)
	defer cancel()
	key := e.answers.key(r, nil)
	if e.sendKept(ctx, w, r, m, key) {
		return
	}
	one, refused := readURL(r.URL.RawQuery)
	if refused != nil {
		e.write(w, r, m, outcome{refused: refused})
		return
	}
	size := e.budget.answerSize(r, e.limits.Answer)
	defer size.release()
	one.key, one.client, one.size = key, e.clients.of(r), size
	e.write(w, r, m, e.answer(ctx, &one))
}

// post answers a POST, which may be a batch.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request, m mediaType) {
	body := e.budget.buffer(r)
	defer e.budget.drop(body)
	refused := checkContent(r.Header)
	if refused == nil {
		refused = e.readBody(w, r, body)
	}
	if refused != nil {
		e.write(w, r, m, outcome{refused: refused})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), e.limits.Timeout)
	defer cancel()
	key := e.answers.key(r, body)
	if e.sendKept(ctx, w, r, m, key) {
		return
	}
	client := e.clients.of(r)
	list, batch, refused := e.read(ctx, client, body)
	size := e.budget.answerSize(r, e.limits.Answer)
	defer size.release()
	for i := range list {
		list[i].client, list[i].size = client, size
	}
	switch {
	case refused != nil:
		e.write(w, r, m, outcome{refused: refused})
	case batch:
		e.writeAll(w, r, m, e.answerAll(ctx, list), size)
	default:
		list[0].key = key
		e.write(w, r, m, e.answer(ctx, &list[0]))
	}
}

// bytesPerCost is how many bytes of a body or an answer are read or compressed
// for one unit of cost, roughly.
const bytesPerCost = 100

// read reads the requests of a body; one that is not small takes a slot.
func (e *endpoint) read(ctx context.Context, client netip.Addr, body *buffer) (list []request, batch bool, refused *refusal) {
	if body.Len() > smallBuffer {
		s, refused := e.limiter.enter(ctx, client)
		defer s.leave()
		if refused == nil {
			refused = s.raise(ctx, body.Len()/bytesPerCost)
		}
		if refused != nil {
			return nil, false, refused
		}
	}
	return readJSON(&body.Buffer, e.limits.Batch)
}

// operation is what may run: valid, with its variables, and priced.
type operation struct {
	document   *document
	definition *ast.OperationDefinition
	variables  map[string]any
	name       string
	cost       int
	// size bounds the answer.
	size *answerSize
}

// outcome is what became of one operation: a response, or a refusal.
type outcome struct {
	response *graphql.Response
	refused  *refusal
	// final is of an answer that cannot change any more; else it is nil.
	final *final
	// size has the memory of the response.
	size *answerSize
}

// prepare makes an operation of a request, in a slot.
func (e *endpoint) prepare(ctx context.Context, s *slot, r *request) (o operation, refused *refusal) {
	if r.refused != nil {
		return o, r.refused
	}
	if o.document, refused = e.find(ctx, s, r); refused != nil {
		return o, refused
	}
	if o.definition, refused = o.document.operation(r.operationName); refused != nil {
		return o, refused
	}
	if o.variables, refused = e.documents.coerce(ctx, o.definition, r.variables); refused != nil {
		return o, refused
	}
	o.name, o.size = r.operationName, r.size
	o.cost = meter{e.prices, e.limits.PageSize, o.variables}.cost(o.definition)
	return o, nil
}

// affordable refuses operations that together cost more than a request may.
func (e *endpoint) affordable(cost int) *refusal {
	if cost <= e.limits.Cost {
		return nil
	}
	r := refuse(nft.QueryTooCostly, "the request costs %d: want at most %d; ask for smaller pages or fewer fields", cost, e.limits.Cost)
	r.errors[0].Extensions["cost"], r.errors[0].Extensions["maxCost"] = cost, e.limits.Cost
	return r
}

// run runs an operation; while the database is gone, again and again for a
// short time. Nothing of an answer was sent yet.
func (e *endpoint) run(ctx context.Context, o operation) outcome {
	growth := o.size.operation()
	for wait := firstWait; ; wait *= 2 {
		done := e.runOnce(ctx, o, growth)
		if !done.unavailable() {
			e.outage.end()
			return done
		}
		if !e.outage.wait(ctx, wait) {
			return outcome{refused: unavailable()}
		}
	}
}

// runOnce runs an operation on one snapshot of the data.
func (e *endpoint) runOnce(ctx context.Context, o operation, growth *growing) outcome {
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery:      o.document.text,
		OperationName: o.name,
		Variables:     o.variables,
		Doc:           o.document.query,
		Operation:     o.definition,
		RecoverFunc:   e.recover,
		// Validation refuses what is not to be told.
		DisableIntrospection:   false,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	})
	next, ctx := e.executor.DispatchOperation(ctx, graphql.GetOperationContext(ctx))
	response := next(e.bounded(ctx, growth))
	if response == nil {
		// The executor gives up without a word when ctx has ended.
		return outcome{refused: tookTooLong()}
	}
	if refused := o.size.why(); refused != nil && bytes.Equal(response.Data, []byte("null")) {
		return outcome{refused: refused}
	}
	response.Errors = fewErrors(response.Errors)
	return outcome{response: response, size: o.size}
}

// An operation whose database is gone runs again until the database has been
// gone for maxOutage, with growing waits, of which firstWait is the first.
const (
	maxOutage = 2 * time.Second
	firstWait = 20 * time.Millisecond
)

// outage is the time for which the database has been gone. All operations share
// it: later ones do not wait in their slots for what earlier ones waited for.
type outage struct {
	// since is the time of the first failure in Unix nanoseconds, or 0.
	since atomic.Int64
}

// end notes that the database answers.
func (o *outage) end() {
	if o.since.Load() != 0 {
		o.since.Store(0)
	}
}

// wait notes that the database is gone, waits, and reports whether it is worth
// another try.
func (o *outage) wait(ctx context.Context, d time.Duration) bool {
	now := time.Now()
	o.since.CompareAndSwap(0, now.UnixNano())
	left := maxOutage - now.Sub(time.Unix(0, o.since.Load()))
	if left <= 0 {
		return false
	}
	timer := time.NewTimer(min(d, left))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// unavailable reports whether an operation failed because its database is gone.
func (o outcome) unavailable() bool {
	if o.response == nil {
		return false
	}
	for _, e := range o.response.Errors {
		if codeOf(e) == string(nft.Unavailable) {
			return true
		}
	}
	return false
}

// unavailable refuses an operation whose database is gone.
func unavailable() *refusal {
	r := refuseWith(http.StatusServiceUnavailable, nft.Unavailable, "the data is unavailable: try again later")
	r.header = map[string]string{"Retry-After": "1"}
	return r
}

func tookTooLong() *refusal {
	return refuseWith(http.StatusGatewayTimeout, nft.Timeout, "the operation took too long and was stopped")
}

// answer prepares and runs one operation. A panic is logged and answered.
func (e *endpoint) answer(ctx context.Context, r *request) (done outcome) {
	defer e.catch(ctx, &done)
	s, refused := e.limiter.enter(ctx, r.client)
	defer s.leave()
	var o operation
	if refused == nil {
		o, refused = e.prepare(ctx, &s, r)
	}
	if refused == nil {
		refused = e.affordable(o.cost)
	}
	if refused == nil {
		refused = s.raise(ctx, o.cost)
	}
	if refused != nil {
		return outcome{refused: refused}
	}
	if !r.public && r.key == "" {
		return e.run(ctx, o)
	}
	found := &final{public: r.public, key: r.key}
	done = e.run(withFinal(ctx, found), o)
	if found.generation != "" && done.response != nil && len(done.response.Errors) == 0 {
		done.final = found
	}
	return done
}

// catch makes an internal error of a panic.
func (e *endpoint) catch(ctx context.Context, done *outcome) {
	if cause := recover(); cause != nil {
		e.log.ErrorContext(ctx, "panic", "cause", cause, "stack", string(debug.Stack()))
		*done = outcome{refused: refuseWith(http.StatusInternalServerError, nft.Internal, "internal error")}
	}
}

// batchWidth is how many operations of one batch run at once, so that one
// batch leaves slots for others.
const batchWidth = 4

// answerAll answers the operations of a batch, in their order. Nothing runs
// unless all of it together can be paid for; what is wrong with one operation
// is its own matter.
func (e *endpoint) answerAll(ctx context.Context, list []request) []outcome {
	done := make([]outcome, len(list))
	operations := make([]operation, len(list))
	cost := 0
	for i := range list {
		done[i] = e.prepareOne(ctx, &list[i], &operations[i])
		cost = plus(cost, operations[i].cost)
	}
	tooCostly := e.affordable(cost)
	var running errgroup.Group
	running.SetLimit(batchWidth)
	for i := range operations {
		switch {
		case done[i].refused != nil:
		case tooCostly != nil:
			done[i].refused = tooCostly
		default:
			running.Go(func() error {
				done[i] = e.runInSlot(ctx, list[i].client, operations[i])
				return nil
			})
		}
	}
	// None of them returns an error.
	_ = running.Wait()
	return done
}

// prepareOne prepares an operation of a batch in a slot of its own.
func (e *endpoint) prepareOne(ctx context.Context, r *request, o *operation) (done outcome) {
	defer e.catch(ctx, &done)
	s, refused := e.limiter.enter(ctx, r.client)
	defer s.leave()
	if refused == nil {
		*o, refused = e.prepare(ctx, &s, r)
	}
	return outcome{refused: refused}
}

// runInSlot runs an operation of a batch in a slot of its own.
func (e *endpoint) runInSlot(ctx context.Context, client netip.Addr, o operation) (done outcome) {
	defer e.catch(ctx, &done)
	s, refused := e.limiter.enter(ctx, client)
	defer s.leave()
	if refused == nil {
		refused = s.raise(ctx, o.cost)
	}
	if refused != nil {
		return outcome{refused: refused}
	}
	return e.run(ctx, o)
}
