package httpapi

import (
	"time"

	"mintburn/internal/httpapi/cost"
	"mintburn/internal/httpapi/subscribe"
)

// Limits bound the requests. docs/limits.md has an example of each. All must be at least 1.
type Limits struct {
	// Body is the maximum size of a request body, in bytes.
	Body int
	// Batch is the maximum number of operations in a request that is a JSON array.
	Batch int
	cost.Limits
	// Answer is the maximum size of the answer's data for all operations in a request, in
	// bytes.
	Answer int
	// Subscriptions is how many subscriptions may be open, ClientSubscriptions how many of one
	// client.
	Subscriptions, ClientSubscriptions int
	subscribe.Times
	// Concurrency is how many operations run at once, over all requests. It should not exceed
	// the number of database connections, which operations get in order of arrival.
	Concurrency int
	// Timeout is the maximum duration of a request once it is read.
	Timeout time.Duration
}

// budgetBytes is the memory for large bodies and answers of all requests.
const budgetBytes = 256 << 20
