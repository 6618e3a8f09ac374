package httpapi

import "time"

// Limits bound the requests. docs/limits.md has an example of each. All must be at least 1.
type Limits struct {
	// Body is the maximum size of a request body, in bytes.
	Body int
	// Batch is the maximum number of operations in a request that is a JSON array.
	Batch int
	// Tokens is the maximum number of lexical tokens in a document, including comments.
	Tokens int
	// Depth is the maximum depth of nested fields. The operation's own fields have depth 1.
	Depth int
	// Aliases is the maximum number of aliased fields in an operation.
	Aliases int
	// RootFields is the maximum number of fields at depth 1.
	RootFields int
	// Cost is the maximum cost of all operations in a request; see docs/limits.md.
	Cost int
	// Answer is the maximum size of the answer's data for all operations in a request, in
	// bytes.
	Answer int
	// PageSize is the size of the schema's largest page.
	PageSize int
	// Concurrency is how many operations run at once, over all requests. It should not exceed
	// the number of database connections, which operations get in order of arrival.
	Concurrency int
	// Timeout is the maximum duration of a request once it is read.
	Timeout time.Duration
}

// Bounds without flags, far above any reasonable request.
const (
	// maxFields is the maximum number of fields, fragments and values in a document after each
	// fragment is expanded.
	maxFields = 20_000
	// maxKey is the maximum length of a response key, in bytes.
	maxKey = 128
	// maxRepeats is how often a document may select the same field at the same place, because
	// GraphQL's validation compares these fields pairwise.
	maxRepeats = 50
	// maxValues is the maximum number of JSON values in the variables of a request, maxNesting
	// their maximum depth.
	maxValues, maxNesting = 20_000, 32
	// maxErrors is how many errors of a document an answer contains, maxMessage the maximum
	// length of each in bytes.
	maxErrors, maxMessage = 10, 300
	// cachedDocuments and cachedBytes bound each cache of documents.
	cachedDocuments, cachedBytes = 1_000, 32 << 20
	// budgetBytes is the memory for large bodies and answers of all requests.
	budgetBytes = 256 << 20
)
