package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// A route is a GraphQL document whose aliases and variables have the documented
// names, so that REST and GraphQL cannot differ: what it answers is the value
// of the field answer. docs/api.md, section 7.
type route struct {
	document *document
	// required and optional are the parameters in the query string.
	required, optional []string
	// record is true for a route whose answer is the first item of the page.
	record bool
}

// The documented fields, in the documented order.
const (
	transferFields = `token_address: tokenAddress contract_type: contractType token_id: tokenId block_hash: blockHash
		block_number: blockNumber transaction_hash: transactionHash log_index: logIndex from to amount operator timestamp
		block_time: blockTime`
	metadataFields = `collection_address: collectionAddress collection_type: collectionType token_id: tokenId
		external_url: externalUrl image_data: imageData background_color: backgroundColor youtube_url: youtubeUrl
		updated_at: updatedAt name description image animation_url: animationUrl
		attributes { trait_type: traitType value max_value: maxValue trait_count: traitCount order }`
)

func transfersOf(field, variables, arguments string) string {
	return fmt.Sprintf(`query(%s, $cursor: Cursor, $limit: Int, $partial: Boolean! = false) {
		answer: %s(%s, after: $cursor, first: $limit, partial: $partial) {
			cursor page limit total_items: totalItems data { %s } indexed @include(if: $partial) { from_block: fromBlock to_block: toBlock }
		} }`, variables, field, arguments, transferFields)
}

var pageParameters = []string{"cursor", "limit", "partial"}

// rest answers the five documented operations.
type rest struct {
	*endpoint
	mintsOfBlock, burnsInRange, mintsOfTransaction, burnsOfToken, metadata *route
}

// newREST returns the handler of all paths below /v1/.
func newREST(e *endpoint) (http.Handler, error) {
	r := &rest{endpoint: e}
	// The limits are for what callers bring.
	own := newDocuments(e.documents.schema, nil, false, Limits{Tokens: 1_000, Depth: 10, Aliases: 100, RootFields: 2})
	for _, s := range []struct {
		to                 **route
		text               string
		required, optional []string
	}{
		{&r.mintsOfBlock, transfersOf("mints", "$block_number_or_hash: BlockNumberOrHash!", "block: $block_number_or_hash"), nil, pageParameters},
		{&r.burnsInRange, transfersOf("burns", "$address: Address!, $from_block: Long!, $to_block: Long!",
			"address: $address, fromBlock: $from_block, toBlock: $to_block"), []string{"from_block", "to_block"}, pageParameters},
		{&r.mintsOfTransaction, transfersOf("mints", "$address: Address!, $transaction_hash: Bytes32!",
			"address: $address, transactionHash: $transaction_hash"), nil, pageParameters},
		{&r.burnsOfToken, transfersOf("burns", "$address: Address!, $token_id: BigInt!", "address: $address, tokenId: $token_id"), nil, pageParameters},
		{&r.metadata, `query($address: Address!, $token_id: BigInt) {
			answer: tokenMetadata(address: $address, tokenId: $token_id, first: 1) { data { ` + metadataFields + ` } }
			state: tokenMetadata(address: $address, tokenId: $token_id, first: 1) { data { error updatedAt } } }`, nil, []string{"token_id"}},
	} {
		document, refused := own.read(s.text, netip.Addr{}, free)
		if refused != nil {
			return nil, fmt.Errorf("the document of a route is refused: %w", refused.errors)
		}
		*s.to = &route{document: document, required: s.required, optional: s.optional}
	}
	r.metadata.record = true
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/block/{block_number_or_hash}/nft/mints", r.serve(r.mintsOfBlock, "block_number_or_hash"))
	mux.HandleFunc("/v1/nft/{address}/burns", r.serve(r.burnsInRange, "address"))
	mux.HandleFunc("/v1/nft/{address}/metadata", r.serve(r.metadata, "address"))
	// One pattern for two routes: the mux would refuse them beside each other.
	mux.HandleFunc("/v1/nft/{address}/{first}/{second}", func(w http.ResponseWriter, asked *http.Request) {
		switch first, second := asked.PathValue("first"), asked.PathValue("second"); {
		case first == "mints":
			asked.SetPathValue("transaction_hash", second)
			r.serve(r.mintsOfTransaction, "address", "transaction_hash")(w, asked)
		case second == "burns":
			asked.SetPathValue("token_id", first)
			r.serve(r.burnsOfToken, "address", "token_id")(w, asked)
		default:
			r.noRoute(w, asked)
		}
	})
	mux.HandleFunc("/", r.noRoute)
	return mux, nil
}

func (r *rest) noRoute(w http.ResponseWriter, asked *http.Request) {
	r.refuse(w, asked, refuseWith(http.StatusNotFound, nft.NotFound, "no such route: see /openapi.json"))
}

// serve answers a route whose path has these parameters.
func (r *rest) serve(to *route, path ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, asked *http.Request) {
		r.origins.allow(w.Header(), asked.Header)
		if asked.Method != http.MethodGet && asked.Method != http.MethodHead {
			refused := refuseWith(http.StatusMethodNotAllowed, nft.BadUserInput, "the method has no meaning here: want GET or HEAD")
			refused.header = map[string]string{"Allow": "GET, HEAD"}
			r.refuse(w, asked, refused)
			return
		}
		if refused := r.origins.check(asked); refused != nil {
			r.refuse(w, asked, refused)
			return
		}
		ctx, cancel := context.WithTimeout(asked.Context(), r.limits.Timeout)
		defer cancel()
		key := r.answers.key(asked, nil)
		if r.sendKept(ctx, w, asked, legacyJSON, key) {
			return
		}
		variables, refused := to.variables(asked.URL.RawQuery, r.limits.PageSize)
		if refused != nil {
			r.refuse(w, asked, refused)
			return
		}
		for _, name := range path {
			variables[name] = asked.PathValue(name)
		}
		size := r.budget.answerSize(asked, r.limits.Answer)
		defer size.release()
		r.respond(w, asked, to, r.answer(ctx, &request{
			document: to.document, variables: variables, public: true, key: key, client: r.clients.of(asked), size: size,
		}))
	}
}

// variables reads the query string; most is the largest page.
func (to *route) variables(rawQuery string, most int) (map[string]any, *refusal) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, malformed(badParameters)
	}
	accepted := slices.Concat(to.required, to.optional)
	variables := map[string]any{}
	for name, list := range values {
		if !slices.Contains(accepted, name) {
			return nil, malformed("unknown parameter %s: want %s", brief(name, 80), strings.Join(accepted, ", "))
		}
		if len(list) > 1 {
			return nil, malformed("the parameter %s is given twice: want it once", name)
		}
		// An empty parameter counts as absent: forms send all their fields.
		if list[0] != "" {
			variables[name] = list[0]
		}
	}
	for _, name := range to.required {
		if variables[name] == nil {
			return nil, malformed("missing parameter %s: want %s", name, strings.Join(to.required, " and "))
		}
	}
	if text, given := variables["limit"].(string); given {
		limit, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, malformed("limit: got %s, want a whole number from 0 to %d", evm.Describe(text), most)
		}
		variables["limit"] = limit
	}
	if text, given := variables["partial"].(string); given {
		if text != "true" && text != "false" {
			return nil, malformed("partial: got %s, want true or false", evm.Describe(text))
		}
		variables["partial"] = text == "true"
	}
	return variables, nil
}

// respond writes what became of a route's operation.
func (r *rest) respond(w http.ResponseWriter, asked *http.Request, to *route, done outcome) {
	if done.refused != nil {
		r.refuse(w, asked, done.refused)
		return
	}
	if len(done.response.Errors) > 0 {
		r.refuse(w, asked, &refusal{errors: done.response.Errors})
		return
	}
	var data struct {
		Answer json.RawMessage
		State  struct {
			Data []struct {
				Error     *string
				UpdatedAt uint64
			}
		}
	}
	err := json.Unmarshal(done.response.Data, &data)
	if err == nil && to.record {
		var page struct{ Data []json.RawMessage }
		err = json.Unmarshal(data.Answer, &page)
		switch {
		case err != nil:
		case len(page.Data) == 0:
			r.refuse(w, asked, refuse(nft.NotFound, "there is no metadata yet"))
			return
		case data.State.Data[0].UpdatedAt == 0 && data.State.Data[0].Error != nil:
			// Each try to fetch the document has failed.
			r.refuse(w, asked, refuse(nft.NotFound, "there is no metadata: %s", *data.State.Data[0].Error))
			return
		default:
			data.Answer = page.Data[0]
		}
	}
	if err != nil {
		r.log.ErrorContext(asked.Context(), "reading an answer for a route", "error", err)
		r.refuse(w, asked, refuse(nft.Internal, "internal error"))
		return
	}
	b := r.budget.buffer(asked)
	defer r.budget.drop(b)
	b.Write(data.Answer)
	r.send(w, asked, legacyJSON, http.StatusOK, b, done.final)
}

// refuse answers with the first error, as the routes do.
func (e *endpoint) refuse(w http.ResponseWriter, asked *http.Request, refused *refusal) {
	for name, value := range refused.header {
		w.Header().Set(name, value)
	}
	e.metrics.failed(refused.errors[:1])
	b := e.budget.buffer(asked)
	defer e.budget.drop(b)
	e.send(w, asked, legacyJSON, writeREST(b, refused), b, nil)
}

// writeREST writes the body of a refused request, and returns its status.
func writeREST(b *buffer, refused *refusal) (status int) {
	first := refused.errors[0]
	details := map[string]any{}
	for name, value := range first.Extensions {
		if name != "code" {
			details[name] = value
		}
	}
	// Messages and details are texts, numbers and lists of them.
	text, _ := json.Marshal(details)
	body := struct {
		Message string          `json:"message"`
		Code    string          `json:"code"`
		Details json.RawMessage `json:"details"`
	}{documented.Replace(strings.TrimPrefix(first.Message, "$")), codeOf(first), jsonName.ReplaceAllFunc(text, snakeCase)}
	_ = json.NewEncoder(b).Encode(body)
	return cmp.Or(refused.status, statusOf(body.Code))
}

// jsonName matches the name of a member of a JSON object.
var jsonName = regexp.MustCompile(`"[A-Za-z]+":`)

// snakeCase returns the documented form of a name.
func snakeCase(name []byte) (snake []byte) {
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			snake = append(snake, '_')
			c += 'a' - 'A'
		}
		snake = append(snake, c)
	}
	return snake
}

// documented gives the arguments in a message their documented names.
var documented = strings.NewReplacer("first is", "limit is", "fromBlock", "from_block", "toBlock", "to_block", "tokenId", "token_id", "transactionHash", "transaction_hash")

// statusOf returns the status that fits a code.
func statusOf(code string) int {
	switch nft.Code(code) {
	case nft.BlockNotFound, nft.BlockNotIndexed, nft.NotFound:
		return http.StatusNotFound
	case nft.BlockNotCanonical, nft.CursorReorged:
		return http.StatusGone
	case nft.RateLimited:
		return http.StatusTooManyRequests
	case nft.Unavailable:
		return http.StatusServiceUnavailable
	case nft.Timeout:
		return http.StatusGatewayTimeout
	case nft.Internal:
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}
