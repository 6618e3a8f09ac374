package metadata_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

const document = `{"name":"Lamp","description":"a document of some bytes, which pack better than none"}`

// pack compresses a text with the writer that open returns.
func pack[W io.WriteCloser](t *testing.T, text string, open func(io.Writer) (W, error)) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := open(&packed)
	expect.NoError(t, err)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	expect.NoError(t, w.Close())
	return packed.String()
}

func gzipped(t *testing.T, text string) string {
	return pack(t, text, func(w io.Writer) (*gzip.Writer, error) { return gzip.NewWriter(w), nil })
}

func TestFetcher_Encodings(t *testing.T) {
	zipped := gzipped(t, document)
	zlibbed := pack(t, document, func(w io.Writer) (*zlib.Writer, error) { return zlib.NewWriter(w), nil })
	deflated := pack(t, document, func(w io.Writer) (*flate.Writer, error) { return flate.NewWriter(w, 9) })
	standard := pack(t, document, func(w io.Writer) (*zstd.Encoder, error) { return zstd.NewWriter(w) })
	wide := pack(t, strings.Repeat(" ", 32<<20), func(w io.Writer) (*zstd.Encoder, error) { return zstd.NewWriter(w, zstd.WithWindowSize(32<<20)) })
	for _, test := range []struct{ situation, encoding, body, want, reason string }{
		{"none", "", document, document, ""},
		{"identity", "identity", document, document, ""},
		{"gzip", "gzip", zipped, document, ""},
		{"gzip in capitals", " X-GZip ", zipped, document, ""},
		{"gzip without a header", "", zipped, document, ""},
		{"gzip in two members", "gzip", gzipped(t, document[:20]) + gzipped(t, document[20:]), document, ""},
		{"gzip twice", "gzip", gzipped(t, zipped), "", "the document is application/x-gzip, not JSON"},
		{"deflate", "deflate", zlibbed, document, ""},
		{"raw deflate", "deflate", deflated, document, ""},
		{"zstd", "zstd", standard, document, ""},
		{"zstd with a large window", "zstd", wide, "", "unpacking zstd: window size exceeded"},
		{"not gzip", "gzip", document, "", "unpacking gzip: gzip: invalid header"},
		{"truncated gzip", "gzip", zipped[:len(zipped)-10], "", "unpacking gzip: unexpected EOF"},
		{"gzip with a wrong checksum", "gzip", zipped[:len(zipped)-8] + "12345678", "", "unpacking gzip: gzip: invalid checksum"},
		{"empty gzip", "gzip", "", "", "unpacking gzip: EOF"},
		{"br", "br", document, "", `the document has content encoding "br": want gzip, deflate or zstd`},
		{"in a list", "gzip, BR", zipped, "", `the document has content encoding "br": want gzip, deflate or zstd`},
		{"compress", "x-compress", document, "", `the document has content encoding "x-compress": want gzip, deflate or zstd`},
		{"no coding", "UTF8", document, document, ""},
		{"no coding, null", "null", document, document, ""},
		{"no coding, a media type", "application/json;charset=utf-8", document, document, ""},
		{"no coding, but gzip", "binary", zipped, document, ""},
		{"a coding and none", "aws-chunked, gzip,", zipped, document, ""},
		{"a list", "deflate,gzip", gzipped(t, deflated), document, ""},
		{"a list in another order", "gzip, zstd , identity", pack(t, zipped, func(w io.Writer) (*zstd.Encoder, error) { return zstd.NewWriter(w) }), document, ""},
		{"a list whose order is wrong", "gzip, deflate", gzipped(t, deflated), "", "unpacking deflate: flate: corrupt input before offset 1"},
		{"four", "gzip, gzip, gzip, gzip", gzipped(t, gzipped(t, gzipped(t, zipped))), document, ""},
		{"five", "gzip, gzip, gzip, gzip, gzip", document, "", "the document has 5 content encodings: want at most 4"},
		{"above the limit between", "gzip, gzip", gzipped(t, strings.Repeat(gzipped(t, ""), metadata.MaxDocument/20)), "", "document is larger than 4194304 bytes"},
		{"gzip padded with zeros", "gzip", zipped + strings.Repeat("\x00", 5000), document, ""},
		{"gzip with more behind", "gzip", zipped + "{}", "", "unpacking gzip: unexpected EOF"},
		{"at the limit", "", strings.Repeat(" ", metadata.MaxDocument), strings.Repeat(" ", metadata.MaxDocument), ""},
		{"above the limit", "", strings.Repeat(" ", metadata.MaxDocument+1), "", "document is larger than 4194304 bytes"},
		{"at the limit when unpacked", "gzip", gzipped(t, strings.Repeat(" ", metadata.MaxDocument)), strings.Repeat(" ", metadata.MaxDocument), ""},
		{"above the limit when unpacked", "gzip", gzipped(t, strings.Repeat(" ", metadata.MaxDocument+1)), "", "document is larger than 4194304 bytes"},
		{"above the limit as UTF-8", "", "\xFF\xFE" + strings.Repeat("\x3a\x26", metadata.MaxDocument/2-1), "", "document is larger than 4194304 bytes"},
		{"byte order mark", "", "\xEF\xBB\xBF" + document, document, ""},
		{"UTF-16", "", "\xFE\xFF\x00{\x00}", "{}", ""},
		{"invalid UTF-8", "", "{\xFF}", "{\uFFFD}", ""},
		{"picture", "", "\x89PNG\r\n\x1a\n", "", "the document is image/png, not JSON"},
		{"page", "", " <html><script>", "", "the document is text/html, not JSON"},
		{"JSON with the signature of a font", "", `{"name":"` + strings.Repeat("x", 25) + `LP"}`, `{"name":"` + strings.Repeat("x", 25) + `LP"}`, ""},
		{"text", "", "hello", "hello", ""},
	} {
		t.Run(test.situation, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
					t.Errorf("Accept-Encoding is %q, want gzip", got)
				}
				w.Header().Set("Content-Type", "text/html")
				if test.encoding != "" {
					w.Header().Set("Content-Encoding", test.encoding)
				}
				io.WriteString(w, test.body)
			}))
			defer server.Close()
			checkFetch(t, newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}), server.URL, test.want, test.reason)
		})
	}
}

// TestFetcher_NoNetwork reads documents that are contained in the URI.
func TestFetcher_NoNetwork(t *testing.T) {
	f := newFetcher(t, metadata.FetcherOptions{})
	for uri, want := range map[string]string{
		"data:application/json;base64,eyJhIjoxfQ==": `{"a":1}`,
		" DATA:,%7B%7D\n":                    `{}`,
		"\uFEFF\n\uFEFFdata:,{}\u2003\uFEFF": `{}`,
		"\uFEFF{}\uFEFF":                     `{}`,
		"data:;base64,//57AH0A":              `{}`, // UTF-16
		` {"name":"#1"} `:                    `{"name":"#1"}`,
	} {
		checkFetch(t, f, uri, want, "")
	}
	for uri, want := range map[string]string{
		"data:image/png;base64,iVBORw0KGgo=":                                   "the document is image/png, not JSON",
		"data:;base64,{}":                                                      "decoding the base64 of a data: URI: illegal base64 data at input byte 0",
		"{" + strings.Repeat(" ", metadata.MaxDocument-1) + "}":                "document is larger than 4194304 bytes",
		"data:," + strings.Repeat("%FFa", metadata.MaxDocument/2):              "document is larger than 4194304 bytes",
		"data:application/json," + strings.Repeat("x", 4*metadata.MaxDocument): "document is larger than 4194304 bytes",
	} {
		checkFetch(t, f, uri, "", want)
	}
}

func TestFetcher_Failures(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for _, test := range []struct {
		situation, url string
		status         int
		retryAfter     string
		want           metadata.Failure
	}{
		{"not found", "", 404, "", metadata.Failure{Reason: "status 404 Not Found"}},
		{"gone", "", 410, "9", metadata.Failure{Reason: "status 410 Gone", After: 9 * time.Second}},
		{"no content", "", 204, "", metadata.Failure{Reason: "status 204 No Content"}},
		{"partial content", "", 206, "", metadata.Failure{Reason: "status 206 Partial Content"}},
		{"not modified", "", 304, "", metadata.Failure{Reason: "status 304 Not Modified"}},
		{"unknown", "", 799, "", metadata.Failure{Reason: "status 799", Temporary: true}},
		{"server error", "", 500, "9", metadata.Failure{Reason: "status 500 Internal Server Error", Temporary: true, After: 9 * time.Second}},
		{"payment required", "", 402, "Tue, 14 Nov 2023 22:13:22 GMT", metadata.Failure{Reason: "status 402 Payment Required", After: 2 * time.Second}},
		{"timeout", "", 408, "", metadata.Failure{Reason: "status 408 Request Timeout", Temporary: true}},
		{"too early", "", 425, "", metadata.Failure{Reason: "status 425 Too Early", Temporary: true}},
		{"unavailable, a far date", "", 503, "Tue, 14 Nov 2099 22:13:20 GMT", metadata.Failure{Reason: "status 503 Service Unavailable", Temporary: true, After: 24 * time.Hour}},
		{"too many", "", 429, "", metadata.Failure{Reason: "status 429 Too Many Requests", Temporary: true}},
		{"too many, seconds", "", 429, "90", metadata.Failure{Reason: "status 429 Too Many Requests", Temporary: true, After: 90 * time.Second}},
		{"unavailable, date", "", 503, "Tue, 14 Nov 2023 23:13:20 GMT", metadata.Failure{Reason: "status 503 Service Unavailable", Temporary: true, After: time.Hour}},
		{"unavailable, past", "", 503, "Tue, 14 Nov 2022 23:13:20 GMT", metadata.Failure{Reason: "status 503 Service Unavailable", Temporary: true}},
		{"unavailable, forever", "", 503, "18446744073709551615", metadata.Failure{Reason: "status 503 Service Unavailable", Temporary: true, After: 24 * time.Hour}},
		{"unavailable, nonsense", "", 503, "-1", metadata.Failure{Reason: "status 503 Service Unavailable", Temporary: true}},
		{"closed port", closed.URL, 0, "", metadata.Failure{Reason: "connection: connect: connection refused", Temporary: true}},
		{"no such name", "http://absent.example/", 0, "", metadata.Failure{Reason: "the host does not exist"}},
		{"certificate", secure.URL, 0, "", metadata.Failure{Reason: "certificate: x509: certificate signed by unknown authority"}},
	} {
		t.Run(test.situation, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if test.retryAfter != "" {
					w.Header().Set("Retry-After", test.retryAfter)
				}
				w.WriteHeader(test.status)
			}))
			defer server.Close()
			url := server.URL
			if test.url != "" {
				url = test.url
			}
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, Resolver: nameServer(t), Clock: new(chaintest.Clock).Random(0)})
			text, err := f.Fetch(t.Context(), url)
			reason(t, text, err)
			got := err.(*metadata.Failure)
			expect.Equal(t, "result", test.want, metadata.Failure{Reason: got.Reason, Temporary: got.Temporary, After: got.After}, cmp.AllowUnexported(metadata.Failure{}))
		})
	}
}

// TestFetcher_Gateways checks that gateways are tried in order until one has the document.
func TestFetcher_Gateways(t *testing.T) {
	serve := func(status int, body string) string {
		return newSite(t, map[string]siteAnswer{"/ipfs/" + cid0 + "/a b#1": {Status: status, Body: body}}).URL
	}
	asking := func(seconds string) string {
		return newSite(t, map[string]siteAnswer{"/ipfs/" + cid0 + "/a b#1": {Status: 429, Headers: map[string]string{"retry-after": seconds}}}).URL
	}
	good, other, absent, ill, soon, late := serve(200, "good"), serve(200, "other"), serve(404, ""), serve(503, ""), asking("7"), asking("9")
	name := func(url string) string { return strings.TrimPrefix(url, "http://") }
	for _, test := range []struct {
		situation string
		gateways  []string
		want      string
		failure   metadata.Failure
	}{
		{"the first has it", []string{good, other}, "good", metadata.Failure{}},
		{"the second has it", []string{absent, other, good}, "other", metadata.Failure{}},
		{"the last has it", []string{ill, absent, good}, "good", metadata.Failure{}},
		{"the only one lacks it", []string{absent}, "", metadata.Failure{Reason: "status 404 Not Found"}},
		{"all lack it", []string{absent, absent}, "", metadata.Failure{Reason: name(absent) + ": status 404 Not Found; " + name(absent) + ": status 404 Not Found"}},
		{"one may have it later", []string{ill, absent}, "", metadata.Failure{Reason: name(ill) + ": status 503 Service Unavailable; " + name(absent) + ": status 404 Not Found", Temporary: true}},
		{"both send Retry-After", []string{late, soon}, "", metadata.Failure{Reason: name(late) + ": status 429 Too Many Requests; " + name(soon) + ": status 429 Too Many Requests", Temporary: true, After: 7 * time.Second}},
		{"one sends Retry-After", []string{late, ill}, "", metadata.Failure{Reason: name(late) + ": status 429 Too Many Requests; " + name(ill) + ": status 503 Service Unavailable", Temporary: true}},
	} {
		t.Run(test.situation, func(t *testing.T) {
			f := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true, IPFS: test.gateways})
			got, err := f.Fetch(t.Context(), "ipfs://"+cid0+"/a b#1")
			if test.want != "" {
				if err != nil || got != test.want {
					t.Errorf("got %q, error %v", got, err)
				}
				return
			}
			reason(t, got, err)
			expect.Equal(t, "result", test.failure, *err.(*metadata.Failure), cmpopts.IgnoreUnexported(metadata.Failure{}))
		})
	}
}

// TestFetcher_Charset reads documents in the charset of their Content-Type.
func TestFetcher_Charset(t *testing.T) {
	const latin1 = "{\"name\":\"Caf\xE9\"}"
	const document = `{"name":"Café"}`
	for _, test := range []struct{ mediaType, body, want, reason string }{
		{"application/json", document, document, ""},
		{"application/json; charset=utf-8", document, document, ""},
		{"application/json; charset=UTF8", "{\xFF}", "{\uFFFD}", ""},
		{"application/json; charset=iso-8859-1", latin1, document, ""},
		{`application/json; charset="ISO-8859-1"`, latin1, document, ""},
		{"application/json; charset=latin1", latin1, document, ""},
		{"application/json; charset=windows-1252", "{\"name\":\"5 \x80\"}", `{"name":"5 €"}`, ""},
		{"application/json; charset=shift_jis", "{\"name\":\"\x83\x65\x83\x58\x83\x67\"}", `{"name":"テスト"}`, ""},
		{"application/json; charset=gbk", "{\"name\":\"\xD6\xD0\"}", `{"name":"中"}`, ""},
		{"application/json; charset=utf-16le", "{\x00}\x00", "{}", ""},
		{"application/json; charset=shift_jis", "{\x83\x20}", "{\uFFFD }", ""},
		{"application/json; charset=iso-8859-1", document, document, ""},
		{"application/json; charset=iso-8859-1", "\xEF\xBB\xBF" + document, document, ""},
		{"application/json; charset=gbk", "\xFF\xFE{\x00}\x00", "{}", ""},
		{"application/json; charset", document, document, ""},
		{"application/json; charset=", document, document, ""},
		{"nonsense;;charset=latin1", document, document, ""},
		{"application/json; charset=klingon", document, document, ""},
		{"application/json; charset=koi8-r", "{\"name\":\"\xc1\"}", `{"name":"а"}`, ""},
		{"application/json; charset=koi8-r", `{"name":"а"}`, `{"name":"а"}`, ""},
		{"application/json; charset=utf-16", document, document, ""},
		{"application/json; charset=euc-kr", " " + document + "\n\uFEFF ", " " + document + "\n\uFEFF ", ""},
		{"application/json; charset=iso-2022-jp", "{\"name\":\"\x1b$B%F%9\x1b(B\"}", `{"name":"テス"}`, ""},
		{"application/json; charset=klingon", latin1, "", `the document has charset "klingon": want one of the WHATWG Encoding Standard, such as utf-8`},
		{"application/json; charset=hz-gb-2312", latin1, "", `the document has charset "hz-gb-2312": want one of the WHATWG Encoding Standard, such as utf-8`},
		{"application/json; charset=latin1", strings.Repeat("\xE9", metadata.MaxDocument/2), strings.Repeat("é", metadata.MaxDocument/2), ""},
		{"application/json; charset=latin1", strings.Repeat("\xE9", metadata.MaxDocument/2+1), "", "document is larger than 4194304 bytes"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", test.mediaType)
			io.WriteString(w, test.body)
		}))
		got, err := newFetcher(t, metadata.FetcherOptions{AllowPrivate: true}).Fetch(t.Context(), server.URL)
		server.Close()
		if test.reason != "" {
			if got := reason(t, got, err); got != test.reason || err.(*metadata.Failure).Temporary {
				t.Errorf("%s: reason %q, want the permanent failure %q", test.mediaType, got, test.reason)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%s: got %.40q, error %v, want %.40q", test.mediaType, got, err, test.want)
		}
	}
	for uri, want := range map[string]string{
		"data:application/json;charset=iso-8859-1,{%22a%22:%22%E9%22}":    `{"a":"é"}`,
		"data:application/json;charset=latin1;base64,eyJhIjoi6SJ9":        `{"a":"é"}`,
		"data:application/json;charset=iso-8859-1,{%22a%22:%22%C3%A9%22}": `{"a":"é"}`,
		"data:application/json;utf8,{\"a\":\"é\"}":                        `{"a":"é"}`,
	} {
		checkFetch(t, newFetcher(t, metadata.FetcherOptions{}), uri, want, "")
	}
}
