package main

import (
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/demo"
)

// The first block that appears while the node runs, and how far below the head blocks are final.
const firstLive, finalDepth = 601, 8

func main() {
	log.SetFlags(0)
	listen := flag.String("listen", "127.0.0.1:8545", "address of the node")
	every := flag.Duration("every", 12*time.Second, "time between two blocks; 0 makes none")
	flag.Parse()
	e, methods := open(time.Now()), rpc.NewServer()
	listener, err := net.Listen("tcp", *listen)
	must(errors.Join(err, methods.RegisterName("eth", e)))
	fmt.Printf("Node at http://%s, with a block every %s\n", listener.Addr(), *every)
	go func() { must(http.Serve(listener, methods)) }()
	for n, tick := firstLive, time.Tick(*every); ; n++ {
		e.mine(n, <-tick)
	}
}

// must ends the program after an error.
func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// block is a block as the node returns it: with its transactions (true) or their hashes.
type block struct {
	types.Header
	hash     common.Hash
	fields   map[bool]map[string]any
	receipts []map[string]any
}

// eth is the recorded chain up to now. Its exported methods are those of the node.
type eth struct {
	recorded  []map[string]json.RawMessage // and the first one again
	later     uint64                       // how many seconds recorded blocks move
	blocks    sync.Map                     // *block by number, hash and tag
	documents map[string]string            // by contract and calldata
}

// open returns the chain up to the block before [firstLive], whose time is now.
func open(now time.Time) *eth {
	e, last := &eth{documents: map[string]string{}}, types.Header{}
	unpacked, err := gzip.NewReader(demo.Open())
	must(err)
	for lines := json.NewDecoder(unpacked); lines.More(); {
		line, d := map[string]json.RawMessage{}, map[string]any{}
		if must(lines.Decode(&line)); line["block"] != nil {
			e.recorded = append(e.recorded, line)
			continue
		}
		must(json.Unmarshal(append(line["metadata"], line["collection"]...), &d))
		// contractURI() of ERC-7572, or tokenURI(uint256) of ERC-721 and uri(uint256) of ERC-1155.
		calls := []string{"0xe8a3d485"}
		if id, ok := d["tokenId"].(float64); ok {
			calls = []string{fmt.Sprintf("0xc87b56dd%064x", uint64(id)), fmt.Sprintf("0x0e89341c%064x", uint64(id))}
		}
		for _, call := range calls {
			e.documents[d["address"].(string)+call] = d["document"].(string)
		}
	}
	e.recorded = append(e.recorded, e.recorded[0])
	must(json.Unmarshal(e.recorded[firstLive-1]["block"], &last))
	e.later = uint64(now.Unix()) - last.Time
	for n := range firstLive {
		e.mine(n, now)
	}
	return e
}

// mine adds the n-th recorded block or, after all, an empty one as the first is.
func (e *eth) mine(n int, now time.Time) {
	line, b, full, last := e.recorded[min(n, len(e.recorded)-1)], &block{}, map[string]any{}, e.find("latest")
	must(errors.Join(json.Unmarshal(line["block"], &b.Header), json.Unmarshal(line["block"], &full)))
	hash, at, number := b.Hash().Hex(), hexutil.EncodeUint64(b.Time), hexutil.EncodeUint64(uint64(n))
	b.Number.SetInt64(int64(n))
	if b.ParentHash, b.Time = last.hash, b.Time+e.later; n >= firstLive {
		b.Time = max(uint64(now.Unix()), last.Time)
	}
	b.hash = b.Hash()
	moved := strings.NewReplacer(hash, b.hash.Hex(), `"`+at+`"`, fmt.Sprintf(`"%#x"`, b.Time)).Replace(string(line["receipts"]))
	must(json.Unmarshal([]byte(moved), &b.receipts))
	full["number"], full["timestamp"], full["parentHash"], full["hash"] = number, hexutil.Uint64(b.Time), b.ParentHash, b.hash
	brief, hashes := maps.Clone(full), []any{}
	for _, transaction := range full["transactions"].([]any) {
		hashes = append(hashes, transaction.(map[string]any)["hash"])
	}
	brief["transactions"] = hashes
	b.fields = map[bool]map[string]any{true: full, false: brief}
	for _, name := range []string{number, b.hash.Hex(), "latest", "pending"} {
		e.blocks.Store(name, b)
	}
	for name, n := range map[string]int{"safe": n - finalDepth, "finalized": n - finalDepth, "earliest": 0} {
		e.blocks.Store(name, e.find(hexutil.EncodeUint64(uint64(max(n, 0)))))
	}
}

// find returns the block with a number, a hash or a tag, or an empty one.
func (e *eth) find(name string) *block {
	if b, ok := e.blocks.Load(name); ok {
		return b.(*block)
	}
	return &block{}
}

// ChainId returns the EIP-155 id.
func (*eth) ChainId() hexutil.Uint64 { return demo.ChainID }

// BlockNumber returns the number of the head.
func (e *eth) BlockNumber() any { return e.find("latest").fields[true]["number"] }

// GetBlockByNumber returns a block with its transactions or their hashes, or null.
func (e *eth) GetBlockByNumber(name string, full bool) any { return e.find(name).fields[full] }

// GetBlockByHash does the same.
func (e *eth) GetBlockByHash(name string, full bool) any { return e.find(name).fields[full] }

// GetBlockReceipts returns the receipts of a block, or null.
func (e *eth) GetBlockReceipts(name string) any { return e.find(name).receipts }

// GetLogs returns the logs that match a filter.
func (e *eth) GetLogs(f struct {
	FromBlock, ToBlock, BlockHash string
	Address                       json.RawMessage
	Topics                        []json.RawMessage
}) ([]any, error) {
	from, to := e.find(cmp.Or(f.BlockHash, f.FromBlock, "latest")), e.find(cmp.Or(f.BlockHash, f.ToBlock, "latest"))
	if from.fields == nil || to.fields == nil {
		return nil, errors.New("unknown block")
	}
	logs, wanted := []any{}, append([]json.RawMessage{f.Address}, f.Topics...)
	for n := from.Number.Uint64(); n <= to.Number.Uint64(); n++ {
		for _, receipt := range e.find(hexutil.EncodeUint64(n)).receipts {
			for _, log := range receipt["logs"].([]any) {
				values := append([]any{log.(map[string]any)["address"]}, log.(map[string]any)["topics"].([]any)...)
				matches := len(wanted) <= len(values)
				for i := 0; matches && i < len(wanted); i++ {
					// A value, a list of values, or null for all.
					text := strings.ToLower(string(wanted[i]))
					matches = !strings.Contains(text, "0x") || strings.Contains(text, values[i].(string))
				}
				if matches {
					logs = append(logs, log)
				}
			}
		}
	}
	return logs, nil
}

// Call returns the document of a token or a collection as a data: URI. Other calls of a contract
// revert, and those of an account without code return nothing.
func (e *eth) Call(m struct{ To, Data, Input string }, _ *string) (hexutil.Bytes, error) {
	to := strings.ToLower(m.To)
	document := e.documents[to+strings.ToLower(m.Data+m.Input)]
	switch {
	case e.documents[to+"0xe8a3d485"] == "":
		return hexutil.Bytes{}, nil
	case document == "":
		return nil, errors.New("execution reverted")
	}
	return abi.Arguments{{Type: abi.Type{T: abi.StringTy}}}.Pack("data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(document)))
}
