package httpapi

import "time"

// Limits bound the requests. docs/limits.md has examples for each. All must be at
// least 1.
type Limits struct {
	// Body is the size of a request's body, in bytes.
	Body int
	// Batch is how many operations one request may hold as a JSON array.
	Batch int
	// Tokens is the number of lexical tokens of a document, comments included.
	Tokens int
	// Depth is how deep fields may nest; those of the operation are at depth 1.
	Depth int
	// Aliases is the number of fields of an operation that have an alias.
	Aliases int
	// RootFields is the number of fields at depth 1.
	RootFields int
	// Cost is the price of all operations of a request; see docs/limits.md.
	Cost int
	// Answer is the size of an answer's data, over all operations of a request,
	// in bytes.
	Answer int
	// PageSize is the size of the schema's largest page.
	PageSize int
	// Concurrency is how many operations run at once, over all requests. It should
	// not exceed the database's connections, for which operations wait in the order
	// of their arrival.
	Concurrency int
	// Timeout is how long a request may take once it is read.
	Timeout time.Duration
}

// Bounds far beyond every reasonable request, which have no flags.
const (
	// maxFields is the number of fields, fragments and values of a document after
	// each fragment is replaced by what it holds.
	maxFields = 20_000
	// maxKey is the length of a response key, in bytes.
	maxKey = 128
	// maxRepeats is how often a document may select the same field at the same
	// place: GraphQL's validation compares each of them with each.
	maxRepeats = 50
	// maxValues is the number of JSON values in the variables of a request,
	// maxNesting how deep they may nest.
	maxValues, maxNesting = 20_000, 32
	// maxErrors is how many errors of a document an answer has, maxMessage the length
	// of each in bytes.
	maxErrors, maxMessage = 10, 300
	// cachedDocuments and cachedBytes bound each cache of documents.
	cachedDocuments, cachedBytes = 1_000, 32 << 20
	// budgetBytes is the memory for large bodies and answers of all requests.
	budgetBytes = 256 << 20
)
