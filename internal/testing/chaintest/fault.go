package chaintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Call is one JSON-RPC call to a [Node].
type Call struct {
	Method string
	// From and To are the block range of eth_getLogs. For eth_getBlockByNumber and the
	// methods for receipts, To is the block number.
	From, To uint64
	// ByHash is set if eth_getLogs or eth_getBlockReceipts has a block hash.
	ByHash bool
	// Addresses and Topics are the numbers of addresses and topics in the filter of
	// eth_getLogs.
	Addresses, Topics int
	// Batch is the number of calls in the HTTP request.
	Batch int
}

// Blocks returns the number of blocks in the range.
func (c Call) Blocks() uint64 { return c.To - c.From + 1 }

// Fault is one way in which a node misbehaves. Only fields that are set have an effect. The
// fields up to Fork change the answer to one call, the others the response to the whole HTTP
// request.
type Fault struct {
	// Code, Message and Data form a JSON-RPC error that replaces the result if Message
	// is not empty. A Code of 0 is left out.
	Code    int
	Message string
	Data    any
	// Edit changes the result.
	Edit func(result json.RawMessage) json.RawMessage
	// Fork makes the node answer from the chain before the last reorg.
	Fork bool

	// Status is an HTTP status code, sent with Body. Header holds names and values in
	// turn.
	Status int
	Body   string
	Header []string
	// Pad appends this many bytes of white space to the body.
	Pad int
	// Truncate sends only the first half of the body, with a matching Content-Length.
	Truncate bool
	// Close closes the connection instead of answering.
	Close bool
	// Hang delays the answer until the channel is closed, the client is gone or the node is
	// closed.
	Hang <-chan struct{}
}

// fault is a Fault for the next times calls that match.
type fault struct {
	Fault
	when  func(Call) bool
	times int
}

// Break makes the node misbehave for the next times calls for which when returns true. A
// times of 0 means until [Node.ClearFaults], and a nil when means every call. If several
// faults match a call, the oldest is used.
func (n *Node) Break(times int, f Fault, when func(Call) bool) {
	n.locked(func() { n.faults = append(n.faults, &fault{f, when, times}) })
}

// ClearFaults removes all faults.
func (n *Node) ClearFaults() { n.locked(func() { n.faults = nil }) }

// takeFault returns the fault for a call, or nil, and counts its use. The caller must hold mu.
func (n *Node) takeFault(c Call) *Fault {
	for i, f := range n.faults {
		if f.when != nil && !f.when(c) {
			continue
		}
		if f.times == 1 {
			n.faults = slices.Delete(n.faults, i, i+1)
		}
		f.times--
		return &f.Fault
	}
	return nil
}

// Method returns a condition for [Node.Break] that matches calls of a method.
func Method(name string) func(Call) bool {
	return func(c Call) bool { return c.Method == name }
}

// Wider returns a condition for [Node.Break] that matches eth_getLogs over more than this
// many blocks.
func Wider(blocks uint64) func(Call) bool {
	return func(c Call) bool { return c.Method == "eth_getLogs" && !c.ByHash && c.Blocks() > blocks }
}

// Flaky returns a condition for [Node.Break] that matches this share of the calls in batches.
// The choice is random but depends only on the seed.
func Flaky(share float64, seed uint64) func(Call) bool {
	random := rand.New(rand.NewPCG(seed, seed))
	return func(c Call) bool { return c.Batch > 1 && random.Float64() < share }
}

// Null returns a fault that replaces the result by null.
func Null() Fault { return always("null") }

// Empty returns a fault that replaces the result by an empty list.
func Empty() Fault { return always("[]") }

func always(text string) Fault {
	return Fault{Edit: func(json.RawMessage) json.RawMessage { return json.RawMessage(text) }}
}

// ofList returns a fault that edits a list.
func ofList(edit func(list []json.RawMessage) []json.RawMessage) Fault {
	return Fault{Edit: func(result json.RawMessage) json.RawMessage { return mustJSON(edit(elements(result))) }}
}

// HideLogs leaves the logs of a block out of lists of logs.
func HideLogs(number uint64) Fault {
	of := fmt.Sprintf(`"blockNumber":"%#x"`, number)
	return ofList(func(list []json.RawMessage) []json.RawMessage {
		return slices.DeleteFunc(list, func(log json.RawMessage) bool { return bytes.Contains(log, []byte(of)) })
	})
}

// CutLogs returns a fault that silently truncates a list to its first elements.
func CutLogs(most int) Fault {
	return ofList(func(list []json.RawMessage) []json.RawMessage { return list[:min(most, len(list))] })
}

// DropLog returns a fault that leaves log i out of a list. A negative i counts from the end.
func DropLog(i int) Fault {
	return ofList(func(list []json.RawMessage) []json.RawMessage {
		if at := (i + len(list)) % max(1, len(list)); len(list) > 0 {
			list = slices.Delete(list, at, at+1)
		}
		return list
	})
}

// Replace returns a fault that replaces text in the result.
func Replace(old, with string) Fault {
	return Fault{Edit: func(result json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(result, []byte(old), []byte(with))
	}}
}

// EditLog returns a fault that edits the fields of log i in a list. A negative i counts from
// the end. A nil value becomes null.
func EditLog(i int, edit func(log map[string]any)) Fault {
	return ofList(func(list []json.RawMessage) []json.RawMessage {
		if at := (i + len(list)) % max(1, len(list)); len(list) > 0 {
			list[at] = fieldsOf(list[at], edit)
		}
		return list
	})
}

// OfLogs returns a fault that edits the fields of each log in a list of logs or of receipts, or in
// a receipt.
func OfLogs(edit func(log map[string]any)) Fault {
	var change func(v any)
	change = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				change(element)
			}
		case map[string]any:
			if logs, receipt := v["logs"]; receipt {
				change(logs)
			} else if _, log := v["topics"]; log {
				edit(v)
			}
		}
	}
	return Fault{Edit: func(result json.RawMessage) json.RawMessage {
		var v any
		if err := json.Unmarshal(result, &v); err != nil {
			panic(err)
		}
		change(v)
		return mustJSON(v)
	}}
}

// Edit returns a fault that edits the fields of an object.
func Edit(edit func(object map[string]any)) Fault {
	return Fault{Edit: func(result json.RawMessage) json.RawMessage { return fieldsOf(result, edit) }}
}

func fieldsOf(text json.RawMessage, edit func(map[string]any)) json.RawMessage {
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		panic(fmt.Errorf("fault for an object: got %s", text))
	}
	edit(object)
	return mustJSON(object)
}

func elements(text json.RawMessage) []json.RawMessage {
	list := []json.RawMessage{}
	if err := json.Unmarshal(text, &list); err != nil {
		panic(fmt.Errorf("fault for a list: got %s", text))
	}
	return list
}

func mustJSON(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}
