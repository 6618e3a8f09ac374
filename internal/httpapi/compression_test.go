package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

func unpack(t *testing.T, coding, text string) string {
	t.Helper()
	var in io.Reader = strings.NewReader(text)
	var err error
	switch coding {
	case "gzip":
		in, err = gzip.NewReader(in)
	case "zstd":
		in, err = zstd.NewReader(in)
	}
	expect.NoError(t, err)
	unpacked, err := io.ReadAll(in)
	expect.NoError(t, err)
	return string(unpacked)
}

func TestCompression(t *testing.T) {
	s := serve(t)
	ask := func(accept, query string) *apitest.Reply { return s.Post(t, inJSON(query), "Accept-Encoding", accept) }
	const large, small = "{ mints(first: 500) { data { id tokenAddress transactionHash } } }", "{ mints(first: 1) { data { id } } }"
	want := ask("", large)
	if want.Header.Get("Content-Encoding") != "" || !strings.HasPrefix(want.Body, `{"data":`) {
		t.Fatalf("%s: %.100s", want.Header.Get("Content-Encoding"), want.Body)
	}
	for accept, coding := range map[string]string{
		"gzip": "gzip", "GZIP": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "gzip", "gzip;q=0.5, zstd": "zstd", "gzip, deflate, br": "gzip", "br": "", "identity": "",
		"zstd;q=0.5, gzip": "gzip", "zstd;q=0, gzip;q=0.1": "gzip", "gzip;q=0": "", "*": "gzip", "*;q=0": "", "gzip;q=0, *": "zstd", "x-gzip": "",
	} {
		got := ask(accept, large)
		if got.Header.Get("Content-Encoding") != coding {
			t.Errorf("%s: coding %q, want %q", accept, got.Header.Get("Content-Encoding"), coding)
			continue
		}
		if unpack(t, coding, got.Body) != want.Body {
			t.Errorf("%s: another body", accept)
		}
		if coding != "" && len(got.Body) > len(want.Body)/3 {
			t.Errorf("%s: %d bytes of %d", accept, len(got.Body), len(want.Body))
		}
		if got := ask(accept, small); got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: a small answer is packed", accept)
		}
	}
}

// TestCompression_Descriptions checks that the descriptions of the API are compressed in each coding,
// under one ETag.
func TestCompression_Descriptions(t *testing.T) {
	s := serve(t)
	for _, path := range []string{"/openapi.json", "/schema.graphql"} {
		whole := s.Send(t, http.MethodGet, path, "")
		for _, coding := range []string{"gzip", "zstd"} {
			got := s.Send(t, http.MethodGet, path, "", "Accept-Encoding", coding)
			if got.Header.Get("Content-Encoding") != coding || got.Header.Get("Vary") != "Accept-Encoding" || got.Header.Get("ETag") != whole.Header.Get("ETag") ||
				unpack(t, coding, got.Body) != whole.Body || len(got.Body) > len(whole.Body)/3 {
				t.Errorf("%s: %d bytes of %d, %v", path, len(got.Body), len(whole.Body), got.Header)
			}
			if again := s.Send(t, http.MethodGet, path, "", "Accept-Encoding", coding, "If-None-Match", got.Header.Get("ETag")); again.Status != http.StatusNotModified {
				t.Errorf("%s again: status %d", path, again.Status)
			}
		}
	}
}

func TestCompression_Page(t *testing.T) {
	if _, err := os.Stat("page/assets/built"); err != nil {
		chaintest.Absent(t, fmt.Sprintf("the page is not built: make assets: %v", err))
	}
	s := serveStore(t, emptyStore(t))
	ask := func(path, accept string) *apitest.Reply {
		return s.Send(t, http.MethodGet, path, "", "Accept-Encoding", accept)
	}
	check := func(t *testing.T, path string) {
		whole, packed := ask(path, "identity"), ask(path, "gzip")
		if packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Vary") != "Accept-Encoding" || whole.Header.Get("Content-Encoding") != "" ||
			packed.Header.Get("Content-Type") != whole.Header.Get("Content-Type") || packed.Header.Get("Cache-Control") != whole.Header.Get("Cache-Control") {
			t.Errorf("%s: whole %v, packed %v", path, whole.Header, packed.Header)
		}
		if unpack(t, "gzip", packed.Body) != whole.Body || len(packed.Body) >= len(whole.Body) {
			t.Errorf("%s: %d bytes of %d, or another body", path, len(packed.Body), len(whole.Body))
		}
	}
	t.Run("page", func(t *testing.T) { check(t, "/") })
	t.Run("assets", func(t *testing.T) {
		for _, asset := range []string{"built/page-*.js", "built/page-*.css", "explore/explore-*.js"} {
			found, err := filepath.Glob("page/assets/" + asset + ".gz")
			if err != nil || len(found) == 0 {
				t.Errorf("%s: %q, %v", asset, found, err)
			}
			for _, name := range found {
				check(t, "/assets/"+strings.TrimSuffix(filepath.Base(name), ".gz"))
			}
		}
	})
}
