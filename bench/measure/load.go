package measure

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Load describes clients that each send the next request when the last one is answered.
type Load struct {
	// Path is the path of all requests, which are POSTs of JSON.
	Path string
	// Body appends the body of request n to dst. Several clients call it
	// concurrently.
	Body func(dst []byte, n int) []byte
	// Clients is the number of connections.
	Clients int
	// For is the time for which requests are sent.
	For time.Duration
}

// Result is the outcome of a load.
type Result struct {
	// Requests is the number of answers.
	Requests int
	// PerSecond is the number of requests a second; P50 and P99 are latencies.
	PerSecond float64
	P50, P99  time.Duration
	// CPU is the server's processor time a request.
	CPU time.Duration
}

// answerTimeout is how long one answer may take.
const answerTimeout = 10 * time.Second

// answered is the beginning of every answer without an error.
var answered = []byte(`{"data":{`)

// Run sends a load to a server. It fails at the first response that is not 200 or is
// an error.
func (p *Process) Run(l Load) (Result, error) {
	client := &fasthttp.HostClient{
		Addr: p.Address, MaxConns: l.Clients, ReadTimeout: answerTimeout, WriteTimeout: answerTimeout, NoDefaultUserAgentHeader: true,
	}
	defer client.CloseIdleConnections()
	before, err := p.CPU()
	if err != nil {
		return Result{}, err
	}
	taken, failed := make([][]time.Duration, l.Clients), make([]error, l.Clients)
	start := time.Now()
	var all sync.WaitGroup
	for i := range l.Clients {
		all.Go(func() { taken[i], failed[i] = p.client(client, l, i, start) })
	}
	all.Wait()
	elapsed := time.Since(start)
	if err := errors.Join(failed...); err != nil {
		return Result{}, err
	}
	after, err := p.CPU()
	if err != nil {
		return Result{}, err
	}
	list := slices.Concat(taken...)
	slices.Sort(list)
	n := len(list)
	return Result{
		Requests: n, PerSecond: float64(n) / elapsed.Seconds(),
		P50: list[n/2], P99: list[n*99/100], CPU: (after - before) / time.Duration(n),
	}, nil
}

// client sends the requests i, i+Clients, i+2*Clients and so on, at least one, until the
// time is over.
func (p *Process) client(client *fasthttp.HostClient, l Load, i int, start time.Time) (taken []time.Duration, err error) {
	request, response := p.post(l.Path), new(fasthttp.Response)
	var body []byte
	for n := i; ; n += l.Clients {
		body = l.Body(body[:0], n)
		request.SetBodyRaw(body)
		sent := time.Now()
		if err := client.Do(request, response); err != nil {
			return nil, fmt.Errorf("POST %s: %w", l.Path, err)
		}
		taken = append(taken, time.Since(sent))
		if err := check(l.Path, body, response); err != nil {
			return nil, err
		}
		if time.Since(start) >= l.For {
			return taken, nil
		}
	}
}

// Ask sends one request and returns the answer's body.
func (p *Process) Ask(path string, body []byte) ([]byte, error) {
	request, response := p.post(path), new(fasthttp.Response)
	request.SetBodyRaw(body)
	if err := fasthttp.DoTimeout(request, response, answerTimeout); err != nil {
		return nil, fmt.Errorf("POST %s: %w", path, err)
	}
	return response.Body(), check(path, body, response)
}

// post returns a POST of JSON without its body.
func (p *Process) post(path string) *fasthttp.Request {
	request := new(fasthttp.Request)
	request.Header.SetMethod(fasthttp.MethodPost)
	request.SetRequestURI("http://" + p.Address + path)
	request.Header.SetContentType("application/json")
	return request
}

// check returns an error for a response that is not 200 or is an error.
func check(path string, body []byte, response *fasthttp.Response) error {
	if got := response.Body(); response.StatusCode() != fasthttp.StatusOK || !bytes.HasPrefix(got, answered) {
		return fmt.Errorf("POST %s with %s: status %d: %.300s", path, body, response.StatusCode(), got)
	}
	return nil
}
