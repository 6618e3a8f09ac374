package doctor_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mintburn/internal/doctor"
	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// node returns a node with 200 blocks with records.
func node(t *testing.T) *chaintest.Node {
	t.Helper()
	n, o := chaintest.NewNode(t, chaintest.NodeOptions{URI: "ipfs://x"}), chaintest.Default()
	o.Blocks, o.Records = 200, 20
	n.Generate(o)
	return n
}

// options returns options for nodes whose newest block is a second old.
func options(n *chaintest.Node, urls ...string) doctor.Options {
	blocks := n.Blocks()
	now := time.Unix(int64(blocks[len(blocks)-1].Header.Time)+1, 0)
	return doctor.Options{URLs: urls, Next: 1, MaxAge: time.Minute, Limit: doctor.Limit, Now: func() time.Time { return now }}
}

// check returns the lines of the findings.
func check(t *testing.T, o doctor.Options) string {
	t.Helper()
	found, err := doctor.Nodes(t.Context(), o)
	expect.NoError(t, err)
	var lines []string
	for _, f := range found {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// faults returns the lines that begin with fault.
func faults(lines string) (found []string) {
	for line := range strings.Lines(lines) {
		if strings.HasPrefix(line, "fault ") {
			found = append(found, line)
		}
	}
	return found
}

// TestNodes_Anvil checks that a real node has no fault, over HTTP and over WebSocket.
func TestNodes_Anvil(t *testing.T) {
	t.Parallel()
	address := chaintest.Anvil(t)
	found := check(t, doctor.Options{URLs: []string{"http://" + address, "ws://" + address}, MaxAge: time.Hour, Limit: doctor.Limit, Now: time.Now})
	if len(faults(found)) > 0 {
		t.Error(found)
	}
	for _, want := range []string{
		"ok node http://" + address + ": it serves chain 31337", "ok node ws://" + address + ": it announces new blocks", "it answers batches of 10 calls",
		"it answers the 3 filters of eth_getLogs", "it answers eth_getBlockReceipts", "it answers eth_call", "ok nodes: 2 agree on chain 31337",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("no %q in:\n%s", want, found)
		}
	}
}

// TestNodes_Faults checks that each fault of a node is found, that it is the only one, and that
// the line names a cure.
func TestNodes_Faults(t *testing.T) {
	t.Parallel()
	noMethod := chaintest.Fault{Code: -32601, Message: "the method does not exist"}
	final := func(c chaintest.Call) bool { return c.Method == "eth_getLogs" && !c.ByHash }
	for name, c := range map[string]struct {
		fault func(n *chaintest.Node)
		with  func(o *doctor.Options)
		want  string
	}{
		"another chain":  {with: func(o *doctor.Options) { o.ChainID = new(uint64(1)) }, want: "it serves chain 31337, the database contains chain 1; cure: give another --rpc"},
		"another branch": {with: func(o *doctor.Options) { o.Final = &evm.BlockRef{Number: 100, Hash: evm.Hash{1}} }, want: "block 100 has the hash 0x"},
		"an old head":    {with: func(o *doctor.Options) { now := o.Now().Add(time.Hour); o.Now = func() time.Time { return now } }, want: "its newest block 200 is 1h0m1s old, more than 1m0s; cure: check whether the node has synced"},
		"a slow clock":   {with: func(o *doctor.Options) { now := o.Now().Add(-time.Minute); o.Now = func() time.Time { return now } }, want: "fault clock: the newest block is 59s ahead of this machine; cure: set the clock"},
		"no transfers": {fault: func(n *chaintest.Node) {
			n.Break(0, noMethod, func(c chaintest.Call) bool { return final(c) && c.Topics == 4 })
		}, want: "eth_getLogs of ERC-721 transfers: "},
		"missing logs": {fault: func(n *chaintest.Node) {
			n.Break(0, chaintest.Empty(), func(c chaintest.Call) bool { return final(c) && c.From > 100 })
		}, want: "its logs of the blocks 121 to 136 are wrong: "},
		"no calls": {fault: func(n *chaintest.Node) { n.Break(0, noMethod, chaintest.Method("eth_call")) }, want: "eth_call: error -32601: the method does not exist; cure: add a node that answers it"},
		"pruned": {fault: func(n *chaintest.Node) {
			n.Break(0, chaintest.Fault{Code: 4444, Message: "pruned history unavailable"}, func(c chaintest.Call) bool { return c.To > 0 && c.To < 90 })
		}, want: "block 1 is next; cure: add the --rpc of a node with history, or begin with --from-block 9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := node(t)
			o := options(n, n.URL)
			if found := check(t, o); len(faults(found)) > 0 {
				t.Fatalf("without a fault:\n%s", found)
			}
			if c.fault != nil {
				c.fault(n)
			}
			if c.with != nil {
				c.with(&o)
			}
			found := check(t, o)
			if list := faults(found); len(list) != 1 || !strings.Contains(list[0], c.want) || !strings.Contains(list[0], "; cure: ") {
				t.Errorf("got\n%s\nwant one fault, %s", found, c.want)
			}
		})
	}
}

// TestNodes_Slower checks that what a follower can do without is no fault.
func TestNodes_Slower(t *testing.T) {
	t.Parallel()
	n := node(t)
	noMethod := chaintest.Fault{Code: -32601, Message: "the method does not exist"}
	n.Break(0, noMethod, chaintest.Method("eth_getBlockReceipts"))
	n.Break(0, noMethod, func(c chaintest.Call) bool { return c.Batch == 10 && c.Method == "eth_getBlockByNumber" })
	found := check(t, options(n, n.URL))
	if len(faults(found)) > 0 || !strings.Contains(found, "it refuses eth_getBlockReceipts") || !strings.Contains(found, "it refuses a batch of 10 calls") {
		t.Error(found)
	}
}

// TestNodes_Agreement checks that nodes of other chains and branches and one that is behind are
// found.
func TestNodes_Agreement(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(other *chaintest.Node)
		want   string
	}{
		"nothing": {func(*chaintest.Node) {}, ""},
		"chain":   {func(other *chaintest.Node) { other.SetChainID(5) }, " serves chain 5, node "},
		"branch":  {func(other *chaintest.Node) { other.Reorg(150); other.MineEmpty(150) }, ", which is final for "},
		"behind":  {func(other *chaintest.Node) { other.Lag(20) }, " is at block 180, node "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := node(t)
			other := n.Copy(t, chaintest.NodeOptions{URI: "ipfs://x"}, 201)
			c.change(other)
			o := options(n, n.URL, other.URL)
			o.MaxAge = time.Hour
			found := check(t, o)
			if list := faults(found); c.want == "" && len(list) > 0 || c.want != "" && (len(list) != 1 || !strings.Contains(list[0], c.want)) {
				t.Errorf("got\n%s\nwant %q", found, c.want)
			}
		})
	}
}

// TestNodes_Hang checks that a node that hangs, at once or for some calls, ends within the limits.
func TestNodes_Hang(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		when func(chaintest.Call) bool
		want string
	}{
		"always":     {nil, "eth_chainId: no answer within 50ms; cure: check host and port"},
		"for a call": {chaintest.Method("eth_call"), "eth_call: no answer within 50ms; cure: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := node(t)
			n.Break(0, chaintest.Fault{Hang: make(chan struct{})}, c.when)
			o := options(n, n.URL)
			o.Limit = 50 * time.Millisecond
			if name != "always" {
				o.Limit = time.Second
				c.want = strings.Replace(c.want, "50ms", "1s", 1)
			}
			if found := check(t, o); !strings.Contains(found, c.want) {
				t.Errorf("got\n%s\nwant %s", found, c.want)
			}
		})
	}
}

// TestNodes_Secrets checks that no line contains the credentials of a URL, even if the node
// repeats them, and that a refused key is named as the cause.
func TestNodes_Secrets(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		http.Error(w, "no access for "+user+":"+password+" at "+r.URL.String(), http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	for _, rest := range []string{"/v3/SECRETKEY", "/?key=SECRETKEY"} {
		found := check(t, doctor.Options{URLs: []string{strings.Replace(server.URL, "://", "://SECRETUSER:SECRETWORD@", 1) + rest}, Limit: doctor.Limit, Now: time.Now})
		if list := faults(found); len(list) != 1 || strings.Contains(found, "SECRET") || !strings.Contains(found, "the key in the URL") {
			t.Error(found)
		}
	}
	if _, err := doctor.Nodes(t.Context(), doctor.Options{URLs: []string{"ftp://SECRET@host"}}); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v", err)
	}
}

// TestNodes_Unprovable checks that a chain whose headers prove nothing needs two nodes or
// --unprovable.
func TestNodes_Unprovable(t *testing.T) {
	t.Parallel()
	n := chaintest.NewNode(t, chaintest.NodeOptions{URI: "ipfs://x", Shape: chaintest.Shape{OtherHash: true}})
	o := chaintest.Default()
	o.Blocks, o.Records = 200, 20
	n.Generate(o)
	alone := options(n, n.URL)
	alone.Next = 200
	if list := faults(check(t, alone)); len(list) != 1 || !strings.Contains(list[0], "give a second --rpc that agrees, or --unprovable") {
		t.Errorf("one node: %v", list)
	}
	accepted, two := alone, alone
	accepted.AcceptUnprovable, two.URLs = true, []string{n.URL, n.URL}
	for _, o := range []doctor.Options{accepted, two} {
		if found := check(t, o); len(faults(found)) > 0 || !strings.Contains(found, "block 136 agrees with its logs, and cannot be proved") {
			t.Error(found)
		}
	}
}
