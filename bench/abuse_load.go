package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The clients have separate addresses: on Linux, all of 127.0.0.0/8 is loopback.
const attackerHost, bystanderHost = "127.0.0.2", "127.0.0.3"

type attackCommand struct {
	Address     string        `arg:"" help:"Address of the server."`
	Connections int           `help:"Number of connections." required:""`
	Once        bool          `help:"Send each body once."`
	For         time.Duration `help:"How long to send."`
	Header      string        `help:"Send this header on each connection, and a body that does not end."`
}

// Run sends the bodies of standard input, a JSON array, and prints how often
// each result occurred.
func (c *attackCommand) Run(ctx context.Context) error {
	if c.Header != "" {
		return c.open(ctx)
	}
	var bodies []string
	if err := json.NewDecoder(os.Stdin).Decode(&bodies); err != nil {
		return fmt.Errorf("reading bodies: %w", err)
	}
	client := clientFrom(attackerHost, c.Connections)
	if !c.Once {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.For)
		defer cancel()
	}
	var mu sync.Mutex // guards counts and longest
	counts, longest := map[string]int{}, 0
	var all sync.WaitGroup
	for i := range c.Connections {
		all.Go(func() {
			for n := i; ctx.Err() == nil && (!c.Once || n < len(bodies)); n += c.Connections {
				result, size := ask(ctx, client, c.Address, bodies[n%len(bodies)])
				mu.Lock()
				counts[result]++
				longest = max(longest, size)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	var list []string
	for _, result := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, fmt.Sprintf("%d × %s", counts[result], result))
	}
	fmt.Printf("%s, up to %d KiB\n", strings.Join(list, ", "), longest>>10)
	return nil
}

// open opens requests whose bodies do not end, and prints how many were refused.
func (c *attackCommand) open(ctx context.Context) error {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(attackerHost)}}
	var conns []net.Conn
	for range c.Connections {
		conn, err := dialer.DialContext(ctx, "tcp", c.Address)
		if err != nil {
			return fmt.Errorf("opening a connection: %w", err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := fmt.Fprintf(conn, "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n%s\r\n\r\n1\r\n{\r\n", c.Header); err != nil {
			return fmt.Errorf("opening a request: %w", err)
		}
		conns = append(conns, conn)
	}
	refused := 0
	var mu sync.Mutex // guards refused
	var all sync.WaitGroup
	end := time.Now().Add(c.For)
	for _, conn := range conns {
		all.Go(func() {
			_ = conn.SetReadDeadline(end)
			if n, _ := conn.Read(make([]byte, 16)); n > 0 {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	fmt.Printf("%d of %d refused\n", refused, c.Connections)
	return nil
}

// attack runs an abuse in a separate process with a low priority, because a real
// client takes no processor time of the server's machine.
func (c *abuseCommand) attack(ctx context.Context, address string, a abuse) (answers string, err error) {
	if a.connections == 0 {
		select {
		case <-ctx.Done():
		case <-time.After(c.For):
		}
		return "", ctx.Err()
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("looking for this program: %w", err)
	}
	bodies, err := json.Marshal(a.bodies)
	if err != nil {
		return "", fmt.Errorf("encoding bodies: %w", err)
	}
	args := []string{"-n", "19", self, "attack", address, fmt.Sprintf("--connections=%d", a.connections), "--for=" + c.For.String()}
	if a.header != "" {
		args = append(args, "--header="+a.header)
	}
	if a.connections == 1 {
		args = append(args, "--once")
	}
	command := exec.CommandContext(ctx, "nice", args...)
	command.Stdin, command.Stderr = bytes.NewReader(bodies), os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("a client: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// clientFrom returns a client that connects from an address.
func clientFrom(host string, connections int) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	return &http.Client{Transport: &http.Transport{
		DialContext: dialer.DialContext, MaxIdleConnsPerHost: connections, DisableCompression: true,
	}}
}

// ask sends a request and returns its status with the first error's code, and
// the bytes of the answer.
func ask(ctx context.Context, client *http.Client, address, body string) (result string, size int) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/graphql", strings.NewReader(body))
	if err != nil {
		return err.Error(), 0
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return "cut off at the end", 0
		}
		return "no answer", 0
	}
	defer response.Body.Close()
	// The size includes the bytes of an answer that breaks off.
	first, _ := io.ReadAll(io.LimitReader(response.Body, 512))
	rest, _ := io.Copy(io.Discard, response.Body)
	size = len(first) + int(rest)
	result = strconv.Itoa(response.StatusCode)
	if _, rest, found := strings.Cut(string(first), `"code":"`); found {
		code, _, _ := strings.Cut(rest, `"`)
		result += " " + code
	}
	return result, size
}

// bystander is a client that sends small requests one after the other.
type bystander struct {
	taken  []time.Duration
	failed int
}

const bystanderQuery = "{ mints(first: 2) { limit data { tokenId } } }"

// startBystander starts a client that sends requests until stop.
func startBystander(ctx context.Context, address string) (stop func() *bystander) {
	// The last request is not cut off.
	whole := ctx
	ctx, cancel := context.WithCancel(ctx)
	b, client := &bystander{}, clientFrom(bystanderHost, 1)
	var running sync.WaitGroup
	running.Go(func() {
		pause := time.NewTicker(2 * time.Millisecond)
		defer pause.Stop()
		body := quote(bystanderQuery)
		for {
			began := time.Now()
			result, _ := ask(whole, client, address, body)
			if took := time.Since(began); result == "200" {
				b.taken = append(b.taken, took)
			} else {
				b.failed++
			}
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
		}
	})
	return func() *bystander {
		cancel()
		running.Wait()
		slices.Sort(b.taken)
		return b
	}
}

// at returns a quantile of the times.
func (b *bystander) at(quantile float64) time.Duration {
	if len(b.taken) == 0 {
		return 0
	}
	return b.taken[int(math.Ceil(quantile*float64(len(b.taken))))-1].Round(10 * time.Microsecond)
}
