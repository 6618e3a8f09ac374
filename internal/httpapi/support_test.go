package httpapi_test

import (
	"context"
	"errors"
	"hash/fnv"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mintburn/graph"
	"mintburn/internal/chain/recording"
	"mintburn/internal/demo"
	"mintburn/internal/evm"
	"mintburn/internal/httpapi"
	"mintburn/internal/httpapi/admit"
	"mintburn/internal/httpapi/execute"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/httpapi/watch"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

// defaults are the program's default limits.
var defaults = httpapi.DefaultLimits

// config returns the configuration of a server over a store. With a nil store, the server has
// no data but can describe its schema.
func config(s *write.DB) httpapi.Config {
	log := slog.New(slog.DiscardHandler)
	c := httpapi.Config{
		Config: execute.Config{Schema: graph.NewSchema(1_000, time.Now), ErrorPresenter: graph.PresentError(log), Recover: graph.Recover(log), Log: log},
		Limits: defaults, Introspection: true, Files: fstest.MapFS{"README.md": {Data: []byte("# Mintburn")}, "docs/index.md": {Data: []byte("# Documentation")}},
		Chains: []httpapi.Chain{{
			Ready:      func(context.Context) error { return nil },
			LastChange: func(context.Context) (watch.Mark, error) { return watch.Mark{}, nil },
			Examples:   func(context.Context) (page.Examples, error) { return page.Examples{}, nil },
			State:      func(context.Context) (httpapi.ChainState, error) { return httpapi.ChainState{}, nil },
			Share:      func(context.Context, page.Shown) (*page.Share, error) { return nil, nil },
		}},
	}
	if s != nil {
		c.Schema = graph.NewSchema(s.MaxPageSize(), time.Now)
		c.Extensions = []graphql.HandlerExtension{graph.Snapshots{Store: func(context.Context) *read.DB { return s.DB }}}
		c.Final = graph.Final
		c.Chains[0].LastChange = func(ctx context.Context) (watch.Mark, error) {
			mark, err := feed.Last(ctx, s.DB)
			return watch.Mark(mark), err
		}
	}
	return c
}

// closedConfig returns the configuration of a server whose store is not open.
func closedConfig() httpapi.Config {
	c := config(nil)
	c.Extensions = []graphql.HandlerExtension{graph.Snapshots{Store: func(context.Context) *read.DB { return nil }}}
	return c
}

// newHandler returns the handler of a server with a configuration. A third of the tests run against a server
// with two chains, of which the configured one is the default, and a third below the path of that chain.
// MINTBURN_CHAINS makes all tests run in one of the ways, see .ci/long.
func newHandler(t testing.TB, c httpapi.Config) http.Handler {
	t.Helper()
	return newHandlerIn(t, c, wayOf(t))
}

// wayOf returns the way in which a test runs, see [newHandler].
func wayOf(t testing.TB) string {
	if way := os.Getenv("MINTBURN_CHAINS"); way != "" {
		return way
	}
	sum := fnv.New32()
	_, _ = sum.Write([]byte(t.Name()))
	return []string{"alone", "default", "named"}[sum.Sum32()%3]
}

// newHandlerIn is [newHandler] in one of the ways.
func newHandlerIn(t testing.TB, c httpapi.Config, way string) http.Handler {
	t.Helper()
	if way != "alone" {
		other := c.Chains[0]
		c.Chains[0].Name, other.Name = "one", "two"
		other.Ready = func(context.Context) error { return nil }
		c.Chains = append(c.Chains, other)
	}
	if way == "default" {
		c.DefaultChain = "one"
	}
	handler, err := httpapi.New(c)
	expect.NoError(t, err)
	if way != "named" {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/metrics":
		default:
			r.URL.Path = "/one" + r.URL.Path
			if r.URL.RawPath != "" {
				r.URL.RawPath = "/one" + r.URL.RawPath
			}
		}
		handler.ServeHTTP(w, r)
	})
}

// serve serves the recorded chain, with changes to the configuration.
func serve(t testing.TB, changes ...func(*httpapi.Config)) *apitest.Client {
	t.Helper()
	s, err := recordedOnce()
	expect.NoError(t, err)
	return serveStore(t, s, changes...)
}

// serveStore serves a store, with changes to the configuration.
func serveStore(t testing.TB, s *write.DB, changes ...func(*httpapi.Config)) *apitest.Client {
	t.Helper()
	c := config(s)
	for _, change := range changes {
		change(&c)
	}
	return &apitest.Client{Handler: newHandler(t, c)}
}

// listen serves a handler as the program does, and returns its address.
func listen(t testing.TB, handler http.Handler) string {
	t.Helper()
	return listenWithin(t, handler, time.Minute, 1<<20)
}

// listenWithin is like [listen], with a time limit for reading requests and a maximum number
// of connections.
func listenWithin(t testing.TB, handler http.Handler, read time.Duration, connections int, proxies ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	expect.NoError(t, err)
	log := slog.New(slog.DiscardHandler)
	server := httpapi.NewServer(handler, read, time.Minute, log)
	limited, err := admit.LimitConnections(l, server, connections, proxies, log)
	expect.NoError(t, err)
	go func() { _ = server.Serve(limited) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// online serves a client's handler over the network, and returns a client of that server.
func online(t testing.TB, c *apitest.Client) *apitest.Client {
	t.Helper()
	return &apitest.Client{Base: "http://" + listen(t, c.Handler)}
}

// dial opens a connection to an address.
func dial(t testing.TB, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	expect.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// folder contains the files that the tests of this package share.
var folder string

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "httpapi-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

var recordOnce = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(folder, "recorded.db")
	return path, load(context.Background(), path, demo.Open())
})

// recordedOnce opens the database of [recorded], once because that takes 30 ms.
var recordedOnce = sync.OnceValues(func() (*write.DB, error) {
	path, err := recordOnce()
	if err != nil {
		return nil, err
	}
	return write.Open(context.Background(), path, write.Options{MaxPageSize: defaults.PageSize})
})

// recorded returns the path of a database with the recorded chain and its token documents. The
// last block is final. Tests must not change it.
func recorded(t testing.TB) string {
	t.Helper()
	path, err := recordOnce()
	expect.NoError(t, err)
	return path
}

// load stores a recorded chain in a database.
func load(ctx context.Context, dsn string, chain io.Reader) error {
	s, err := write.Open(ctx, dsn, write.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	blocks, documents, err := readChain(ctx, chain)
	if err != nil {
		return err
	}
	if _, err := s.Apply(ctx, blocks); err != nil {
		return err
	}
	return errors.Join(s.PutMetadata(ctx, documents), s.SetFinalized(ctx, blocks[len(blocks)-1].Header))
}

// readChain returns the blocks and the token documents of a recorded chain.
func readChain(ctx context.Context, chain io.Reader) (blocks []nft.Block, documents []nft.TokenMetadata, err error) {
	records, err := recording.Open([]string{"-"}, chain)
	if err != nil {
		return nil, nil, err
	}
	var decoder nft.Decoder
	for item, err := range records.Items(ctx) {
		if err != nil {
			return nil, nil, err
		}
		if d := item.Document; d != nil {
			if d.OfCollection {
				continue
			}
			m, err := metadata.Normalise(d.Raw, nft.ERC721, d.TokenID)
			if err != nil {
				return nil, nil, err
			}
			documents = append(documents, nft.TokenMetadata{TokenKey: d.TokenKey, Type: nft.ERC721, FetchedAt: d.FetchedAt, URI: d.URI, Raw: d.Raw, Metadata: m})
			continue
		}
		block, err := decoder.Decode(item.Block.Header, item.Block.Logs)
		if err != nil {
			return nil, nil, err
		}
		block.Proven = item.Proven
		blocks = append(blocks, block)
	}
	return blocks, documents, nil
}

// openStore opens a database until the end of the test.
func openStore(t testing.TB, dsn string) *write.DB {
	t.Helper()
	s, err := write.Open(t.Context(), dsn, write.Options{MaxPageSize: defaults.PageSize})
	expect.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// emptyStore returns a store without indexed blocks.
func emptyStore(t testing.TB) *write.DB {
	t.Helper()
	return openStore(t, storetest.SQLite(t))
}

// storeOf returns a store of some blocks.
func storeOf(t testing.TB, parts ...[]nft.Block) *write.DB {
	t.Helper()
	s := emptyStore(t)
	for _, blocks := range parts {
		if _, err := s.Apply(t.Context(), blocks); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// recordedBlocks returns the blocks of the recorded chain.
func recordedBlocks(t testing.TB) []nft.Block {
	t.Helper()
	blocks, _, err := readChain(t.Context(), demo.Open())
	expect.NoError(t, err)
	return blocks
}

// finalizedAt sets the last final block.
func finalizedAt(t testing.TB, s *write.DB, number uint64) {
	t.Helper()
	expect.NoError(t, s.SetFinalized(t.Context(), evm.Header{BlockRef: evm.BlockRef{Number: number}}))
}

const (
	asJSON     = apitest.JSON
	asResponse = apitest.ResponseJSON
)

// inJSON returns the request body for a document.
func inJSON(query string) string { return apitest.Request(query, "") }
