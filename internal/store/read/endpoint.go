package read

import "time"

// Endpoint is the follower's report on one of its nodes.
type Endpoint struct {
	// URL is the scheme and host, without credentials.
	URL string `json:"url"`
	// Healthy is false while the follower does not use the node because it failed.
	Healthy bool `json:"healthy"`
	// Head is the highest block that the node has reported, 0 before the first.
	Head uint64 `json:"head"`
	// FirstBlock is the first block that the node has, 0 while unknown or if it has all.
	FirstBlock uint64 `json:"first_block,omitempty"`
	// Contradicts is true while the follower does not use the node because it serves
	// another chain, or blocks that differ from the final ones stored here.
	Contradicts bool `json:"contradicts"`
	// LastError is the class of the node's latest failure, such as "timeout"; empty if
	// there was none. Clients see it, so it must not contain the node's own text.
	LastError string `json:"last_error"`
	// LeavesOut means that the node has left logs out of a range: its ranges are read
	// from receipts.
	LeavesOut bool `json:"leaves_out_logs,omitempty"`
	// WrongChain means that the node serves another chain and is not used.
	WrongChain bool `json:"wrong_chain,omitempty"`
	// LatencyMS is a moving average of the node's response times, in milliseconds.
	LatencyMS uint64 `json:"latency_ms"`
	// SeenAt is the time of this report, in Unix seconds, UTC.
	SeenAt uint64 `json:"seen_at"`
}

// endpointAge is the age from which a report says nothing about its node: a follower stores
// one every ten seconds.
const endpointAge = 30 * time.Second

// Current reports whether the report is at most 30 s old. A report of the future was stored
// before the clock was set back.
func (e Endpoint) Current(now time.Time) bool {
	return now.Sub(time.Unix(int64(e.SeenAt), 0)).Abs() <= endpointAge
}
