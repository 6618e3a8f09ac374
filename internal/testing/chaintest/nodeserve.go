package chaintest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"mintburn/internal/evm"
)

// message is a JSON-RPC request.
type message struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

// answer is a JSON-RPC response: a result or an error.
type answer struct {
	id, result json.RawMessage
	err        *rpcError
}

// append appends the response as JSON. Package json would validate and copy large results
// more than once, which costs more than the client's own work.
func (a *answer) append(dst []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), a.id...)
	if a.err != nil {
		dst = append(append(dst, `,"error":`...), mustJSON(a.err)...)
	} else {
		dst = append(append(dst, `,"result":`...), a.result...)
	}
	return append(dst, '}')
}

type rpcError struct {
	Code    int    `json:"code,omitempty"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// ServeHTTP answers one request.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if n.o.Wait != nil {
		n.o.Wait()
	}
	var batch []message
	single := !bytes.HasPrefix(bytes.TrimSpace(text), []byte{'['})
	if single {
		batch = make([]message, 1)
		err = json.Unmarshal(text, &batch[0])
	} else {
		err = json.Unmarshal(text, &batch)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answers, whole := n.answer(batch)
	var body []byte
	for _, a := range answers {
		body = a.append(append(body, ','))
	}
	body = body[1:]
	if !single {
		body = append(append([]byte{'['}, body...), ']')
	}
	n.write(w, r, body, whole)
}

// write sends a body, changed by a fault if there is one.
func (n *Node) write(w http.ResponseWriter, r *http.Request, body []byte, f *Fault) {
	w.Header().Set("Content-Type", "application/json")
	if f == nil {
		w.Write(body)
		return
	}
	if f.Hang != nil {
		select {
		case <-f.Hang:
		case <-r.Context().Done():
		case <-n.done:
		}
	}
	for i := 0; i+1 < len(f.Header); i += 2 {
		w.Header().Set(f.Header[i], f.Header[i+1])
	}
	switch {
	case f.Close:
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		w.WriteHeader(f.Status)
		io.WriteString(w, f.Body)
	case f.Truncate:
		w.Write(body[:len(body)/2])
	default:
		w.Write(body)
		w.Write(bytes.Repeat([]byte{' '}, f.Pad))
	}
}

// answer answers all calls of a request. whole is the fault of the request, or nil.
func (n *Node) answer(batch []message) (answers []answer, whole *Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests++
	for _, m := range batch {
		n.calls[m.Method]++
		c, params := n.parse(m, len(batch))
		f := n.takeFault(c)
		view := n.blocks
		if f != nil && f.Fork {
			view = n.orphaned
		}
		a := answer{id: m.ID}
		if f != nil && f.Message != "" {
			a.err = &rpcError{f.Code, f.Message, f.Data}
		} else {
			a.result, a.err = n.call(m, c, params, view)
		}
		if f != nil && f.Edit != nil && a.err == nil {
			a.result = f.Edit(a.result)
		}
		if f != nil && (f.Status != 0 || f.Pad > 0 || f.Truncate || f.Close || f.Hang != nil) {
			whole = f
		}
		answers = append(answers, a)
	}
	return answers, whole
}

// logParams is the parameter of eth_getLogs.
type logParams struct {
	FromBlock, ToBlock string
	BlockHash          *evm.Hash
	Address            json.RawMessage
	Topics             []json.RawMessage
}

// parse reads the parameters of a call that faults and counters use. The caller must hold mu.
func (n *Node) parse(m message, size int) (Call, logParams) {
	c, params := Call{Method: m.Method, Batch: size}, logParams{}
	switch m.Method {
	case "eth_getLogs":
		_ = json.Unmarshal(m.Params[0], &params)
		c.ByHash = params.BlockHash != nil
		c.Addresses, c.Topics = len(oneOrMore[common.Address](params.Address)), len(params.Topics)
		if b := n.known(mustJSON(params.BlockHash)); b != nil && c.ByHash {
			c.From, c.To = b.Header.Number, b.Header.Number
		}
		if !c.ByHash {
			c.From, c.To = n.number(params.FromBlock), n.number(params.ToBlock)
			asked := Asked{c.From, c.To}
			if len(params.Topics) > 0 && (len(n.ranges) == 0 || n.ranges[len(n.ranges)-1] != asked) {
				n.ranges = append(n.ranges, asked)
			}
		}
	case "eth_getBlockByNumber":
		var tag string
		_ = json.Unmarshal(m.Params[0], &tag)
		c.To = n.number(tag)
	case "eth_getTransactionReceipt":
		var hash common.Hash
		_ = json.Unmarshal(m.Params[0], &hash)
		if i := slices.IndexFunc(n.blocks, func(b *nodeBlock) bool { return slices.Contains(b.of, hash) }); i >= 0 {
			c.To = n.blocks[i].Header.Number
		}
	case "eth_getBlockReceipts":
		c.ByHash = len(m.Params[0]) == len(`""`)+66
		if b := n.known(m.Params[0]); b != nil {
			c.To = b.Header.Number
		}
	}
	return c, params
}

// head returns the number of the newest visible block. The caller must hold mu.
func (n *Node) head() uint64 { return n.base + uint64(len(n.blocks)) - 1 - n.lag }

// number resolves a block number or tag.
func (n *Node) number(tag string) uint64 {
	back := func(depth uint64) uint64 { return n.head() - min(n.head()-n.base, depth) }
	switch tag {
	case "latest", "pending", "":
		return n.head()
	case "earliest":
		return n.base
	case "safe":
		return back(n.o.Finality / 2)
	case "finalized":
		return back(n.o.Finality)
	}
	number, _ := strconv.ParseUint(strings.TrimPrefix(tag, "0x"), 16, 64)
	return number
}

var null = json.RawMessage("null")

// call answers one call from the chain in view. The caller must hold mu.
func (n *Node) call(m message, c Call, params logParams, view []*nodeBlock) (json.RawMessage, *rpcError) {
	switch m.Method {
	case "eth_chainId":
		return mustJSON(fmt.Sprintf("%#x", n.o.ChainID)), nil
	case "eth_blockNumber":
		return mustJSON(fmt.Sprintf("%#x", n.head())), nil
	case "eth_call":
		if n.o.URI != "" || n.o.Collection != [3]string{} {
			return n.contract(m)
		}
	case "eth_getBlockByNumber":
		if c.To > n.head() || c.To < n.base || c.To-n.base >= uint64(len(view)) {
			return null, nil
		}
		return view[c.To-n.base].header(false), nil
	case "eth_getBlockByHash":
		if b := n.known(m.Params[0]); b != nil {
			return b.header(len(m.Params) > 1 && string(m.Params[1]) == "true"), nil
		}
		return null, nil
	case "eth_getLogs":
		return n.logs(c, params, view)
	case "eth_getBlockReceipts":
		if b := n.known(m.Params[0]); b != nil {
			return joined(b.texts().receipts), nil
		}
		return null, nil
	case "eth_getTransactionReceipt":
		var hash common.Hash
		_ = json.Unmarshal(m.Params[0], &hash)
		for _, b := range view {
			if i := slices.Index(b.of, hash); i >= 0 {
				return b.texts().receipts[i], nil
			}
		}
		return null, nil
	}
	return nil, &rpcError{Code: -32601, Message: "the method " + m.Method + " does not exist/is not available"}
}

// contract answers a contract call.
func (n *Node) contract(m message) (json.RawMessage, *rpcError) {
	var args struct{ Data hexutil.Bytes }
	_ = json.Unmarshal(m.Params[0], &args)
	text := n.o.URI
	for i, selector := range [...]uint32{0x06FDDE03, 0x95D89B41, 0xE8A3D485} {
		if len(args.Data) == 4 && binary.BigEndian.Uint32(args.Data) == selector {
			text = n.o.Collection[i]
		}
	}
	if text == "" {
		return nil, &rpcError{Code: 3, Message: "execution reverted"}
	}
	return mustJSON(hexutil.Encode(ABIString(text))), nil
}

// ABIString returns the ABI encoding of a single string.
func ABIString(text string) []byte {
	data := make([]byte, 64, 96+len(text))
	data[31] = 32
	binary.BigEndian.PutUint64(data[56:], uint64(len(text)))
	data = append(data, text...)
	return append(data, make([]byte, -len(text)&31)...)
}

// known returns the visible block with this number, tag or hash, or nil.
func (n *Node) known(param json.RawMessage) *nodeBlock {
	var name string
	_ = json.Unmarshal(param, &name)
	if len(name) == 66 {
		hash, _ := evm.ParseHash(name)
		if b := n.byHash[hash]; b != nil && b.Header.Number <= n.head() {
			return b
		}
		return nil
	}
	if number := n.number(name); number >= n.base && number <= n.head() && !n.blocks[number-n.base].null {
		return n.blocks[number-n.base]
	}
	return nil
}

// logs answers eth_getLogs.
func (n *Node) logs(c Call, params logParams, view []*nodeBlock) (json.RawMessage, *rpcError) {
	f := parseFilter(params, n.o.MoreTopics)
	list := []json.RawMessage{}
	if c.ByHash {
		b := n.byHash[*params.BlockHash]
		if b == nil || b.Header.Number > n.head() {
			return nil, &rpcError{Code: -32000, Message: "unknown block"}
		}
		return joined(f.add(list, b)), nil
	}
	if c.From > c.To {
		return nil, &rpcError{Code: -32602, Message: "invalid block range params"}
	}
	if c.To > n.head() {
		return nil, &rpcError{Code: -32602, Message: "block range extends beyond current head block"}
	}
	for number := max(c.From, n.base); number <= c.To && number-n.base < uint64(len(view)); number++ {
		list = f.add(list, view[number-n.base])
	}
	return joined(list), nil
}

// joined joins JSON values to a JSON list.
func joined(list []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte{'['}, bytes.Join(asBytes(list), []byte{','}), []byte{']'})
}

func asBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i := range list {
		all[i] = list[i]
	}
	return all
}
