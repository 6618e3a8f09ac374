package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/nft"
)

// endpoint answers GraphQL over HTTP.
type endpoint struct {
	limits    Limits
	executor  *executor.Executor
	recover   graphql.RecoverFunc
	final     func(context.Context, *ast.OperationDefinition, map[string]any) (string, error)
	answers   *answers
	documents *documents
	// persisted has documents by hash; trusted is nil where any document runs.
	persisted *lru[*document]
	trusted   *trusted
	prices    prices
	gate      *gate
	room      *room
	packer    *packer
	origins   origins
	metrics   *metrics
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
		limits: c.Limits, executor: run, recover: c.Recover, final: c.Final, log: c.Log, origins: allowed,
		documents: newDocuments(c.Schema.Schema(), c.Introspection, c.Limits),
		persisted: newLRU[*document](cachedDocuments, cachedBytes),
		answers:   newAnswers(c.AnswerCache, c.Generation),
		prices:    newPrices(c.Schema.Schema()),
		// Half of the time is left for the operation itself.
		gate:   newGate(c.Limits.Concurrency, c.Limits.Timeout/2),
		room:   newRoom(roomBytes),
		packer: newPacker(), metrics: newMetrics(c.Collector),
	}
	// The last is the innermost.
	run.AroundResponses(e.noteGeneration)
	if c.TrustedDocuments != "" {
		e.trusted, err = readTrusted(c.TrustedDocuments, e.documents)
	}
	return e, err
}

// ServeHTTP answers POST and GET. Specification: GraphQL over HTTP, "Request".
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
	case http.MethodGet:
		e.get(w, r, m)
	case http.MethodOptions:
		w.Header().Set("Allow", allowedMethods)
		w.WriteHeader(http.StatusNoContent)
	default:
		refused := refuseWith(http.StatusMethodNotAllowed, nft.BadUserInput, "the method is not understood: want POST or GET")
		refused.header = map[string]string{"Allow": allowedMethods}
		e.write(w, r, m, outcome{refused: refused})
	}
}

const allowedMethods = "GET, POST, OPTIONS"

// get answers a GET.
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
	one.key = key
	e.write(w, r, m, e.answer(ctx, &one))
}

// post answers a POST, which may be a batch.
func (e *endpoint) post(w http.ResponseWriter, r *http.Request, m mediaType) {
	body := e.room.buffer()
	defer e.room.drop(body)
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
	list, batch, refused := readJSON(&body.Buffer, e.limits.Batch)
	switch {
	case refused != nil:
		e.write(w, r, m, outcome{refused: refused})
	case batch:
		e.writeAll(w, r, m, e.answerAll(ctx, list))
	default:
		list[0].key = key
		e.write(w, r, m, e.answer(ctx, &list[0]))
	}
}
