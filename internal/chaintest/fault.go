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
	// Method is its method.
	Method string
	// From and To are the range of eth_getLogs by range, and To the number of
	// the block of eth_getBlockByNumber and eth_getBlockReceipts.
	From, To uint64
	// ByHash says that eth_getLogs or eth_getBlockReceipts names a block by its hash.
	ByHash bool
	// Addresses is the number of addresses that eth_getLogs names.
	Addresses int
	// Batch is the number of calls in the HTTP request.
	Batch int
}

// Blocks returns the number of blocks of a range.
func (c Call) Blocks() uint64 { return c.To - c.From + 1 }

// Fault is one way in which a node misbehaves: the fields that are set say how.
// Those up to Fork change the answer to one call, the others that to a whole
// HTTP request.
type Fault struct {
	// Code and Message are a JSON-RPC error in place of the result, where
	// Message is not empty, with Data. A Code of 0 is left out.
	Code    int
	Message string
	Data    any
	// Edit changes the result.
	Edit func(result json.RawMessage) json.RawMessage
	// Fork answers from the chain before the last reorg.
	Fork bool

	// Status is an HTTP status, with Body and Header (in pairs).
	Status int
	Body   string
	Header []string
	// Pad makes the body this many bytes longer, by white space.
	Pad int
	// Truncate sends the first half of the body, with the length of that.
	Truncate bool
	// Close closes the connection in place of an answer.
	Close bool
	// Hang answers only when the channel is closed, or the client is gone.
	Hang <-chan struct{}
}

// fault is a Fault that waits for its call.
type fault struct {
	Fault
	when  func(Call) bool
	times int
}

// Break makes the node misbehave for the next times calls that when holds for;
// 0 means until [Node.ClearFaults]. A nil when means every call. Of several faults
// that fit a call the oldest is used.
func (n *Node) Break(times int, f Fault, when func(Call) bool) {
	n.locked(func() { n.faults = append(n.faults, &fault{f, when, times}) })
}

// ClearFaults ends all faults at once.
func (n *Node) ClearFaults() { n.locked(func() { n.faults = nil }) }

// takeFault returns the fault for a call, or nil; mu must be held.
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

// Method returns a condition for [Node.Break]: a method, by name.
func Method(name string) func(Call) bool {
	return func(c Call) bool { return c.Method == name }
}

// Wider returns a condition for [Node.Break]: eth_getLogs of more blocks.
func Wider(blocks uint64) func(Call) bool {
	return func(c Call) bool { return c.Method == "eth_getLogs" && !c.ByHash && c.Blocks() > blocks }
}

// Flaky returns a condition for [Node.Break]: the share of the calls in batches,
// chosen at random and the same for the same seed.
func Flaky(share float64, seed uint64) func(Call) bool {
	random := rand.New(rand.NewPCG(seed, seed))
	return func(c Call) bool { return c.Batch > 1 && random.Float64() < share }
}

// Null answers null.
func Null() Fault { return always("null") }

// Empty answers an empty list.
func Empty() Fault { return always("[]") }

func always(text string) Fault {
	return Fault{Edit: func(json.RawMessage) json.RawMessage { return json.RawMessage(text) }}
}

// ofList changes a list.
func ofList(edit func(list []json.RawMessage) []json.RawMessage) Fault {
	return Fault{Edit: func(result json.RawMessage) json.RawMessage { return mustJSON(edit(elements(result))) }}
}

// CutLogs leaves out all but the first most of a list, without a word.
func CutLogs(most int) Fault {
	return ofList(func(list []json.RawMessage) []json.RawMessage { return list[:min(most, len(list))] })
}

// DropLog leaves log i out of a list; from the end if i is negative.
func DropLog(i int) Fault {
	return ofList(func(list []json.RawMessage) []json.RawMessage {
		if at := (i + len(list)) % max(1, len(list)); len(list) > 0 {
			list = slices.Delete(list, at, at+1)
		}
		return list
	})
}

// Replace replaces text in the result.
func Replace(old, with string) Fault {
	return Fault{Edit: func(result json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(result, []byte(old), []byte(with))
	}}
}

// EditLog changes the fields of log i of a list, from the end if i is negative;
// a nil value becomes null.
func EditLog(i int, edit func(log map[string]any)) Fault {
	return ofList(func(list []json.RawMessage) []json.RawMessage {
		if at := (i + len(list)) % max(1, len(list)); len(list) > 0 {
			list[at] = fieldsOf(list[at], edit)
		}
		return list
	})
}

// Edit changes the fields of an object.
func Edit(edit func(object map[string]any)) Fault {
	return Fault{Edit: func(result json.RawMessage) json.RawMessage { return fieldsOf(result, edit) }}
}

func fieldsOf(text json.RawMessage, edit func(map[string]any)) json.RawMessage {
	object := map[string]any{}
	if err := json.Unmarshal(text, &object); err != nil {
		panic(fmt.Errorf("a fault for an object met %s", text))
	}
	edit(object)
	return mustJSON(object)
}

func elements(text json.RawMessage) []json.RawMessage {
	list := []json.RawMessage{}
	if err := json.Unmarshal(text, &list); err != nil {
		panic(fmt.Errorf("a fault for a list met %s", text))
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
