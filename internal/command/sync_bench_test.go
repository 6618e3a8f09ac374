package command_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"mintburn/internal/chaintest"
)

// The chain of the benchmark: blocks of 61 or 62 logs, 36,150 in all, which
// make 65,500 records.
const (
	benchBlocks  = 590
	benchLogs    = 36_150
	benchRecords = 65_500
)

// emitter is a contract that emits logs of four topics: its calldata is a list
// of data length, topics and data, each but the last of whole words. In words:
//
//	for i := 0; i < calldatasize; i += 160 + length
//		copy(memory, calldata[i+160:][:length]); log4(memory[:length], calldata[i+32:]...)
const emitter = "60005b36811015603357803580826" + "0a0016000378160800135826060013583604001358460200135846000a40160a00160025" + "65b00"

// BenchmarkSync_Anvil indexes a local anvil's chain with the program in a
// process of its own, and reports the process's time, CPU time and memory, and
// the requests and calls that it takes.
func BenchmarkSync_Anvil(b *testing.B) {
	node := "http://" + chaintest.Anvil(b, "--gas-limit", "100000000", "--code-size-limit", "100000")
	fillAnvil(b, node)
	proxy, calls, requests := counted(b, node)
	syncProcess(b, proxy)
	var cpu, memory float64
	for b.Loop() {
		took, most := syncProcess(b, node)
		cpu, memory = cpu+took.Seconds(), max(memory, most)
	}
	b.ReportMetric(cpu/float64(b.N), "cpu-s/op")
	b.ReportMetric(memory, "MiB")
	b.ReportMetric(float64(requests.Load()), "requests/op")
	b.ReportMetric(float64(calls.Load()), "calls/op")
	b.ReportMetric(benchRecords*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkSync_Size reports the memory of the process after 2,000 and after
// 20,000 blocks of 50 records, and its CPU time for a record of the latter: the
// node shares the machine with it, and bounds the rate.
func BenchmarkSync_Size(b *testing.B) {
	node := chaintest.NewNode(b, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 20_000, 50
	node.Generate(contents)
	for b.Loop() {
		_, few := syncProcess(b, node.URL, "--to-block", "2000")
		start := time.Now()
		took, many := syncProcess(b, node.URL)
		const records = 20_000 * 50
		b.ReportMetric(records/time.Since(start).Seconds(), "records/s")
		b.ReportMetric(took.Seconds()/records*1e6, "cpu-us/record")
		b.ReportMetric(few, "MiB-2000")
		b.ReportMetric(many, "MiB-20000")
	}
}

// syncProcess syncs a fresh database in a process of its own, and returns its
// CPU time and the most memory that it had, in MiB.
func syncProcess(b *testing.B, url string, flags ...string) (cpu time.Duration, memory float64) {
	db := filepath.Join(b.TempDir(), "bench.db")
	command := exec.Command("mintburn", append([]string{"sync", "--once", "--rpc", url, "--db", db}, flags...)...)
	var said bytes.Buffer
	command.Stderr = &said
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		// The usage that the system reports at the end counts this process's
		// memory, too, from which the other was forked.
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", command.Process.Pid))
		if _, line, ok := strings.Cut(string(status), "VmHWM:"); ok {
			var kib float64
			if _, err := fmt.Sscan(line, &kib); err == nil {
				memory = max(memory, kib/1024)
			}
		}
		select {
		case err := <-ended:
			if err != nil {
				b.Fatalf("%v: %s", err, said.String())
			}
			return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), memory
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// counted stands before a node and counts.
func counted(b *testing.B, node string) (url string, calls, requests *atomic.Int64) {
	calls, requests = new(atomic.Int64), new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		requests.Add(1)
		var batch []json.RawMessage
		if json.Unmarshal(body, &batch) != nil {
			batch = make([]json.RawMessage, 1)
		}
		calls.Add(int64(len(batch)))
		answer, err := http.Post(node, "application/json", bytes.NewReader(body))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		_, _ = io.Copy(w, answer.Body)
	}))
	b.Cleanup(server.Close)
	return server.URL, calls, requests
}

// fillAnvil mines the chain, one transaction a block.
func fillAnvil(b *testing.B, node string) {
	client, err := rpc.Dial(node)
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	call := func(result any, method string, args ...any) {
		if err := client.Call(result, method, args...); err != nil {
			b.Fatalf("%s: %v", method, err)
		}
	}
	var accounts []string
	call(&accounts, "eth_accounts")
	send := func(to any, data []byte) (hash string) {
		call(&hash, "eth_sendTransaction", map[string]any{"from": accounts[0], "to": to, "gas": "0x5000000", "data": "0x" + hex.EncodeToString(data)})
		return hash
	}
	code, err := hex.DecodeString("603580600b6000396000f3" + emitter)
	if err != nil {
		b.Fatal(err)
	}
	contract := mined(call, send(nil, code)).ContractAddress
	logs := 0
	for block := range benchBlocks {
		single := 56
		if block < 160 {
			single++
		}
		var data []byte
		for i := range single {
			data = appendLog(data, "Transfer(address,address,uint256)", 0, word(uint64(i%7+1)), word(uint64(block*100+i)))
		}
		for i := range 5 {
			n := 11
			if block*5+i < 150 {
				n--
			}
			elements := []uint64{64, uint64(96 + 32*n), uint64(n)}
			for j := range n {
				elements = append(elements, uint64(block*100+j))
			}
			elements = append(elements, uint64(n))
			for range n {
				elements = append(elements, 3)
			}
			data = appendLog(data, "TransferBatch(address,address,address,uint256[],uint256[])", 9, word(0), word(uint64(i+1)), elements...)
		}
		receipt := mined(call, send(contract, data))
		if receipt.Status != "0x1" {
			b.Fatalf("block %d: the transaction failed", block)
		}
		logs += len(receipt.Logs)
	}
	if logs != benchLogs {
		b.Fatalf("%d logs, want %d", logs, benchLogs)
	}
}

type minedReceipt struct {
	ContractAddress string
	Logs            []json.RawMessage
	Status          string
}

// mined waits for the receipt of a transaction.
func mined(call func(result any, method string, args ...any), hash string) *minedReceipt {
	for {
		var receipt *minedReceipt
		if call(&receipt, "eth_getTransactionReceipt", hash); receipt != nil {
			return receipt
		}
	}
}

// appendLog appends what makes the emitter emit a log.
func appendLog(calldata []byte, event string, second uint64, third, fourth [32]byte, words ...uint64) []byte {
	length, operator := word(uint64(32*len(words))), word(second)
	for _, part := range [][]byte{length[:], crypto.Keccak256([]byte(event)), operator[:], third[:], fourth[:]} {
		calldata = append(calldata, part...)
	}
	for _, w := range words {
		value := word(w)
		calldata = append(calldata, value[:]...)
	}
	return calldata
}

func word(n uint64) (w [32]byte) {
	binary.BigEndian.PutUint64(w[24:], n)
	return w
}
