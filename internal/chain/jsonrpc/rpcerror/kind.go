package rpcerror

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mintburn/internal/chain/wire"
)

// Kind classifies RPC errors by what the client does next.
type Kind uint8

// The kinds, with what the client does next.
const (
	// None is no error of an endpoint.
	None Kind = iota
	// Temporary means to wait, or call another endpoint.
	Temporary
	// Rate means to wait; smaller requests do not help.
	Rate
	// Size means that the range or answer is too large; request less at once.
	Size
	// Slow means that the answer did not arrive completely. It may be too large, or the
	// endpoint unhealthy: request less, and prefer another endpoint.
	Slow
	// Batch means that the batch has too many calls, or the server supports no batches.
	Batch
	// Unsupported means that the node lacks the method.
	Unsupported
	// UnknownBlock means that the node has no block with that hash or tag.
	UnknownBlock
	// BeyondHead means that the block is above the node's head.
	BeyondHead
	// Pruned means that the node has dropped the data.
	Pruned
	// Refused means any other error, which the node would return again.
	Refused
)

// Info is the meaning of an endpoint's error.
type Info struct {
	Kind Kind
	// After is the pause that the endpoint requested, or 0.
	After time.Duration
	// Limit is the endpoint's maximum number of blocks in a range, or 0.
	Limit uint64
	// Size is the number of blocks that the endpoint suggests for this range, or 0.
	Size uint64
	// Addresses is true if the message mentions addresses, as for a filter with too
	// many of them.
	Addresses bool
	// Status is the status of an HTTP error, or 0.
	Status int
	// Whole is true if a batch got no answers, but one error or something that is no
	// answer: the cause may be one of its calls, their number, or that it is a batch.
	Whole bool
}

// JSON-RPC error codes: JSON-RPC 2.0 section 5.1, EIP-1474, and geth's.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNotSupported   = -32004
	codeLimitExceeded  = -32005
)

// codeKinds are the codes that decide the kind without the message.
var codeKinds = map[int]Kind{
	4444: Pruned, -39001: UnknownBlock, -32029: Rate, http.StatusTooManyRequests: Rate, -32601: Unsupported,
}

// errorTexts match the messages of nodes and providers. The first match decides, so
// the order matters: a message about requests per second may also name a range.
var errorTexts = []struct {
	kind Kind
	text *regexp.Regexp
}{
	// geth's message for a range that ends before it starts; the client sends none.
	{Refused, regexp.MustCompile(`(?i)invalid block range params`)},
	{Rate, regexp.MustCompile(`(?i)\brate\b|too many requests|requests? (per|/) ?(second|minute|day)|per second|compute units|capacity|quota|throttl|credits|request count|concurrent requests`)},
	{Batch, regexp.MustCompile(`(?i)batch`)},
	{Pruned, regexp.MustCompile(`(?i)missing trie node|prun(ed|ing)|history (is )?(unavailable|not available)|4444s|historical (state|data) .*(unavailable|not available)`)},
	{BeyondHead, regexp.MustCompile(`(?i)beyond (the )?(current )?(head|latest|chain)|BlockOutOfRangeError|after last accepted block|(greater|higher|larger) than (the )?(latest|current|head)|block .*not yet available`)},
	{UnknownBlock, regexp.MustCompile(`(?i)unknown block|blockHash cannot be found|(block|header)( for hash)? not found|block .*does not exist|(finalized|safe) block not found`)},
	{Temporary, regexp.MustCompile(`(?i)no backend|unhealthy|indexing is in progress|unavailable|try again|overloaded|too busy|internal error|server error|starting|syncing`)},
	{Size, regexp.MustCompile(`(?i)block range|blocks? range|range (limit|threshold|is too|too|exceed)|limited to|limit the query|blocks distance|maximum is set to|up to an? [\d,]+k? block|\d+ (blocks|results|logs)|results? (set|limit)|max(imum)? results|limit of \d|logs matched|too (large|big|wide|many)|exceed(s|ed)? .*(max|limit|size)|max(imum)? .*(exceed|size)|size (limit|exceed)|narrow|timed? ?out|timeout|deadline exceeded|took too long|more than \d+`)},
	{Unsupported, regexp.MustCompile(`(?i)not supported|unsupported|method not found|does not exist/is not available|not available|unknown method|not implemented|is not whitelisted`)},
}

var addressText = regexp.MustCompile(`(?i)\baddress(es)?\b`)

// Classify returns the meaning of a JSON-RPC error. inBatch is true if it was the
// single answer to a whole batch.
func Classify(code int, message string, inBatch bool) Info {
	r := Info{Kind: Refused}
	if code == 0 && strings.EqualFold(message, "parse error") {
		code = codeParse
	}
	if known, ok := codeKinds[code]; ok {
		return Info{Kind: known}
	}
	for _, known := range errorTexts {
		if known.text.MatchString(message) {
			r.Kind = known.kind
			break
		}
	}
	// A message about an empty batch does not mean that the batch is too large.
	if r.Kind == Batch && strings.Contains(message, "empty") {
		r.Kind = Refused
	}
	if r.Limit, r.Size = namedLimit(message), suggestedSize(message); r.Limit+r.Size > 0 && r.Kind != Rate && r.Kind != Pruned {
		r.Kind = Size
	}
	r.Addresses = addressText.MatchString(message)
	if r.Kind != Refused {
		return r
	}
	switch {
	// A server without batch support fails to parse one.
	case inBatch && (code == codeParse || code == codeInvalidRequest):
		r.Kind = Batch
	case code == codeNotSupported:
		r.Kind = Unsupported
	// The code does not tell which limit was exceeded: a smaller range is right for
	// most, and does little harm for the others.
	case code == codeLimitExceeded:
		r.Kind = Size
	case code == codeParse:
		r.Kind = Temporary
	}
	return r
}

// OfStatus returns the kind of an HTTP error whose body contains no JSON-RPC
// error.
func OfStatus(status int) Kind {
	if status < http.StatusBadRequest {
		return Refused
	}
	return cmp.Or(statusKinds[status], Temporary)
}

// statusKinds are the kinds of HTTP statuses; the others are temporary. 520, 522 and 524 are
// Cloudflare's for an origin that fails or is slow.
var statusKinds = map[int]Kind{
	http.StatusTooManyRequests: Rate, http.StatusRequestEntityTooLarge: Size,
	http.StatusRequestTimeout: Slow, http.StatusGatewayTimeout: Slow, 520: Slow, 522: Slow, 524: Slow,
	http.StatusUnauthorized: Refused, http.StatusForbidden: Refused, http.StatusNotFound: Refused,
	http.StatusMethodNotAllowed: Refused, http.StatusPaymentRequired: Refused,
}

// limitTexts match the number of blocks that a provider allows in a range, which may
// have separators and a k for thousands.
var limitTexts = regexp.MustCompile(`(?i)(?:` +
	`limited to (?:an? )?(?P<a>[\d,_]+)(?P<ak>k?)(?: blocks?)? range|` +
	`(?:up to|limited to|at most|exceeds?|maximum(?: of)?|max(?: of)?|than)(?: an?)? (?P<b>[\d,_]+)(?P<bk>k?)[ -]blocks?|` +
	`max(?:imum)? block range(?: is| of|:)* (?P<c>[\d,_]+)(?P<ck>k?)|` +
	`maximum is set to (?P<d>[\d,_]+)(?P<dk>k?)|` +
	`blocks distance: (?P<e>[\d,_]+)(?P<ek>k?)` +
	`)`)

// namedLimit returns the maximum number of blocks that a message names, or 0. If the
// message names a distance, the limit may be one block more.
func namedLimit(message string) uint64 {
	found := limitTexts.FindStringSubmatch(message)
	for i := 1; i+1 < len(found); i += 2 {
		if found[i] == "" {
			continue
		}
		n, err := strconv.ParseUint(strings.NewReplacer(",", "", "_", "").Replace(found[i]), 10, 32)
		if err != nil {
			return 0
		}
		if found[i+1] != "" {
			n *= 1000
		}
		return n
	}
	return 0
}

var suggestionText = regexp.MustCompile(`\[(0x[0-9a-fA-F]{1,16}), ?(0x[0-9a-fA-F]{1,16})\]`)

// suggestedSize returns the number of blocks in the range that a message suggests, or
// 0.
func suggestedSize(message string) uint64 {
	found := suggestionText.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	from, err1 := strconv.ParseUint(found[1], 0, 64)
	to, err2 := strconv.ParseUint(found[2], 0, 64)
	if err1 != nil || err2 != nil || to < from || to-from > wire.MaxBlockNumber {
		return 0
	}
	return to - from + 1
}

// MaxRetryAfter bounds the pause that a server can request.
const MaxRetryAfter = 10 * time.Minute
