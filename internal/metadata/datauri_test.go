package metadata_test

import (
	"runtime"
	"strings"
	"testing"

	"mintburn/internal/metadata"
	"mintburn/internal/testing/expect"
)

func TestDecodeDataURI(t *testing.T) {
	for _, test := range []struct{ situation, uri, mediaType, body string }{
		{"base64", "data:application/json;base64,eyJhIjoxfQ==", "application/json", `{"a":1}`},
		{"base64 without padding", "data:application/json;base64,eyJhIjoxfQ", "application/json", `{"a":1}`},
		{"base64url", "data:;base64,-_-_", "text/plain", "\xfb\xff\xbf"},
		{"base64 standard alphabet", "data:;base64,+/+/", "text/plain", "\xfb\xff\xbf"},
		{"base64 with white space", "data:;base64, eyJh\r\n\tIjox fQ== ", "text/plain", `{"a":1}`},
		{"base64 percent-encoded", "data:;base64,eyJhIjoxfQ%3D%3d", "text/plain", `{"a":1}`},
		{"base64 among other parameters", "data:application/json;charset=utf-8; BASE64 ;x=1,eyJhIjoxfQ==", "application/json", `{"a":1}`},
		{"base64 as a media type", "data:base64,eyJh", "base64", "eyJh"},
		{"percent-encoded", "data:application/json,%7B%22a%22%3A%22%C3%A9+%22%7d", "application/json", `{"a":"é+"}`},
		{"charset", "data:application/json;charset=utf-8,%7B%7D", "application/json", `{}`},
		{"utf8 without equals", `data:application/json;utf8,{"a":"b, c"}`, "application/json", `{"a":"b, c"}`},
		{"raw with number sign, question mark and percent", `data:application/json,{"a":"#26 100% ?","b":"50%"}`, "application/json", `{"a":"#26 100% ?","b":"50%"}`},
		{"raw with escapes", `data:application/json,{"a":"x%20y"}`, "application/json", `{"a":"x y"}`},
		{"raw around a percent-encoded image", `data:application/json;utf8,{"image":"data:image/svg+xml,%3Csvg a=%221%22/%3E"}`, "application/json",
			`{"image":"data:image/svg+xml,%3Csvg a=%221%22/%3E"}`},
		{"truncated escape", "data:,a%4", "text/plain", "a%4"},
		{"escape without hex digits", "data:,%zz%4g%41", "text/plain", "%zz%4gA"},
		{"scheme and media type in upper case, white space around", " DATA:Image/SVG+XML,<svg/>\n", "image/svg+xml", "<svg/>"},
		{"empty", "data:,", "text/plain", ""},
	} {
		t.Run(test.situation, func(t *testing.T) {
			mediaType, body, err := metadata.DecodeDataURI(test.uri)
			expect.NoError(t, err)
			if mediaType != test.mediaType || string(body) != test.body {
				t.Errorf("got %q and %q, want %q and %q", mediaType, body, test.mediaType, test.body)
			}
		})
	}
}

// TestDecodeDataURI_ManyParameters checks that a header with millions of parameters takes no
// more memory than the URI itself.
func TestDecodeDataURI_ManyParameters(t *testing.T) {
	uri := "data:application/json" + strings.Repeat(";", 3*metadata.MaxDocument) + "base64,e30="
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, body, err := metadata.DecodeDataURI(uri)
	runtime.ReadMemStats(&after)
	if err != nil || string(body) != "{}" {
		t.Fatalf("got %q, %v", body, err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > uint64(len(uri)) {
		t.Errorf("%d bytes were allocated for a URI of %d", used, len(uri))
	}
}

func TestDecodeDataURI_Refused(t *testing.T) {
	for _, test := range []struct{ situation, uri, want string }{
		{"empty", "", "not a data: URI"},
		{"another scheme", "https://x.example/data:,", "not a data: URI"},
		{"no scheme", "data", "data: URI without a comma"},
		{"no comma", "data:application/json;base64", "data: URI without a comma"},
		{"base64 of invalid length", "data:;base64,eyJhI", "decoding the base64 of a data: URI: illegal base64 data at input byte 4"},
		{"base64 with invalid digits", "data:;base64,{}", "decoding the base64 of a data: URI: illegal base64 data at input byte 0"},
		{"too large", "data:," + strings.Repeat("x", metadata.MaxDocument+1), "document is larger than 4194304 bytes"},
		{"URI too long", "data:;base64," + strings.Repeat(" ", 3*metadata.MaxDocument+1024) + "eyJh", "document is larger than 4194304 bytes"},
	} {
		t.Run(test.situation, func(t *testing.T) {
			mediaType, body, err := metadata.DecodeDataURI(test.uri)
			if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			if mediaType != "" || body != nil {
				t.Errorf("got content with an error: %q, %d bytes", mediaType, len(body))
			}
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		if _, body, err := metadata.DecodeDataURI("data:application/json;charset=utf-8," + strings.Repeat("%78", metadata.MaxDocument)); err != nil || len(body) != metadata.MaxDocument {
			t.Errorf("got %d bytes and %v", len(body), err)
		}
	})
}
