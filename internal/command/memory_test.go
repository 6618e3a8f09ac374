package command_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
)

// maxHostile is how much more memory than an honest node a hostile one may cost, in MiB; see
// docs/limits.md.
const maxHostile = 256

// hostileAnswers are the answers of hostile nodes to requests for logs or receipts.
var hostileAnswers = map[string]func(w io.Writer, ids []json.RawMessage, methods []string){
	"an error of 60 MB": func(w io.Writer, ids []json.RawMessage, _ []string) {
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"`)
		repeat(w, "block range too ", 60<<20)
		io.WriteString(w, `"}}`)
	},
	"error data of 30 MB": each(func(w io.Writer, _ string) {
		io.WriteString(w, `"error":{"code":-32000,"message":"no","data":[0`)
		repeat(w, ",0", 30<<20)
		io.WriteString(w, `]}`)
	}),
	"an endless text": func(w io.Writer, _ []json.RawMessage, _ []string) {
		io.WriteString(w, `[{"jsonrpc":"2.0","id":1,"result":"`)
		repeat(w, "a", 1<<30)
	},
	"a million logs": each(func(w io.Writer, _ string) { logsOf(w, 1_000_000) }),
	"70,000 logs":    each(func(w io.Writer, _ string) { logsOf(w, 70_000) }),
	"a million empty objects": each(func(w io.Writer, _ string) {
		io.WriteString(w, `"result":[{}`)
		repeat(w, ",{}", 14<<20)
		io.WriteString(w, "]")
	}),
}

// each returns an answer that writes a result or error for each call.
func each(write func(w io.Writer, method string)) func(io.Writer, []json.RawMessage, []string) {
	return func(w io.Writer, ids []json.RawMessage, methods []string) {
		for i, id := range ids {
			io.WriteString(w, map[bool]string{true: "[", false: ","}[i == 0])
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,`, id)
			write(w, methods[i])
			io.WriteString(w, "}")
		}
		io.WriteString(w, "]")
	}
}

// repeat writes a text again and again until it has written this many bytes, or fails.
func repeat(w io.Writer, text string, size int) {
	chunk := []byte(strings.Repeat(text, 1+(64<<10)/len(text)))
	for written := 0; written < size; written += len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// logsOf writes a result with the same log count times.
func logsOf(w io.Writer, count int) {
	log := fmt.Sprintf(`,{"address":%q,"topics":[%q,%q,%q,%q],"data":"0x","blockNumber":"0x1","blockHash":%q,"transactionHash":%q,"transactionIndex":"0x0","logIndex":"0x0"}`,
		evm.Address{1}, evm.TopicTransfer.Hash(), evm.Hash{}, evm.Hash{1}, evm.Hash{2}, evm.Hash{3}, evm.Hash{4})
	io.WriteString(w, `"result":[`+log[1:])
	repeat(w, log, count*len(log))
	io.WriteString(w, "]")
}

// hostile returns the URL of a node whose first answers to requests for logs or receipts are
// hostile, and which is honest afterwards.
func hostile(t testing.TB, node *chaintest.Node, hostile func(io.Writer, []json.RawMessage, []string), way string) string {
	t.Helper()
	left := new(atomic.Int32)
	left.Store(16)
	handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		type message struct {
			ID     json.RawMessage
			Method string
		}
		batch := []message{{}}
		if json.Unmarshal(body, &batch) != nil {
			batch = batch[:1]
			json.Unmarshal(body, &batch[0])
		}
		var ids []json.RawMessage
		var methods []string
		for _, m := range batch {
			ids, methods = append(ids, m.ID), append(methods, m.Method)
		}
		if !bytes.Contains(body, []byte("eth_getLogs")) && !bytes.Contains(body, []byte("Receipt")) || left.Add(-1) < 0 {
			r.Body = io.NopCloser(bytes.NewReader(body))
			node.ServeHTTP(w, r)
			return
		}
		if way != "gzip" {
			hostile(w, ids, methods)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		pack := gzip.NewWriter(w)
		hostile(pack, ids, methods)
		pack.Close()
	}))
	if way == "ws" {
		handler = chaintest.Socket(handler)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	if way == "ws" {
		return strings.Replace(server.URL, "http", "ws", 1)
	}
	return server.URL
}

// TestSync_HostileMemory compares the memory of a sync from a hostile node with that of a
// sync from an honest one. The hostile node becomes honest, and the sync must end.
func TestSync_HostileMemory(t *testing.T) {
	skipShort(t, "starts many processes")
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	node.Generate(contents(3_000, 6))
	_, honest := syncProcess(t, node.URL, "--receipts-depth", "0", "--header-depth", "0")
	left := len(hostileAnswers) / 2
	hows, ways, turn := []string{"logs", "receipts"}, []string{"http", "gzip", "ws"}, rand.IntN(6)
	for name, answer := range hostileAnswers {
		// Each run of the tests meets half of the answers, in one of six combinations: all take
		// minutes.
		if left--; left < 0 {
			break
		}
		how, way := hows[turn%2], ways[turn%3]
		turn++
		t.Run(name+"/"+how+"/"+way, func(t *testing.T) {
			var flags []string
			if how == "logs" {
				flags = []string{"--receipts-depth", "0", "--header-depth", "0"}
			}
			_, got := syncProcess(t, hostile(t, node, answer, way), flags...)
			t.Logf("%s: %.0f MiB, honest %.0f MiB", t.Name(), got, honest)
			if got-honest > maxHostile {
				t.Errorf("%.0f MiB, honest %.0f MiB", got, honest)
			}
		})
	}
}
