package metadata_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// FuzzNormalise checks that Normalise never panics, that it is deterministic, that all its text
// can be stored, and that a record which is written as a document is read as the same record.
func FuzzNormalise(f *testing.F) {
	for _, raw := range []string{
		`{"name":"n","description":"{id}","image":"{id}","background_color":"##a"}`,
		`{"title":1e21,"image_url":{ "a" : [1] },"external_link":true,"name":null}`,
		`{"attributes":[{"trait_type":"t","value":-0,"max_value":"10","trait_count":3.0,"order":2},"x",null,[]]}`,
		`{"traits":{"a":1,"b":null,"a":"{id}"}}`,
		"{\"name\":\"\\ud800\\u0000\xff\"}",
		"\xFF\xFE{\x00}\x00", "\xEF\xBB\xBF{}", "null", "",
	} {
		f.Add(raw, true)
		f.Add(raw, false)
	}
	f.Fuzz(func(t *testing.T, raw string, isMulti bool) {
		standard, id := nft.ERC721, evm.NewUint256(0x1D)
		if isMulti {
			standard = nft.ERC1155
		}
		m, err := metadata.Normalise(raw, standard, id)
		again, errAgain := metadata.Normalise(raw, standard, id)
		if diff := cmp.Diff(m, again); diff != "" || (err == nil) != (errAgain == nil) {
			t.Fatalf("the results differ: %v, %v\n%s", err, errAgain, diff)
		}
		if err != nil {
			if text := err.Error(); text == "" || strings.Contains(text, "\n") || !utf8.ValidString(text) {
				t.Fatalf("not a reason of one line: %q", text)
			}
			return
		}
		for _, text := range texts(m) {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				t.Fatalf("text that cannot be stored: %q", text)
			}
		}
		written, err := json.Marshal(map[string]any{
			"name": m.Name, "description": m.Description, "image": m.Image, "external_url": m.ExternalURL,
			"image_data": m.ImageData, "background_color": m.BackgroundColor, "youtube_url": m.YoutubeURL,
			"animation_url": m.AnimationURL, "attributes": m.Attributes,
		})
		expect.NoError(t, err)
		if len(written) > metadata.MaxDocument {
			return
		}
		back, err := metadata.Normalise(string(written), standard, id)
		expect.NoError(t, err)
		expect.Equal(t, "read back", m, back)
	})
}

// texts returns every text of a record.
func texts(m nft.Metadata) []string {
	var all []string
	for _, field := range []*string{m.Name, m.Description, m.Image, m.ExternalURL, m.ImageData, m.BackgroundColor, m.YoutubeURL, m.AnimationURL} {
		if field != nil {
			all = append(all, *field)
		}
	}
	for _, attribute := range m.Attributes {
		all = append(all, attribute.TraitType, attribute.Value)
	}
	return all
}

// FuzzDecodeDataURI checks that DecodeDataURI never panics, that the content never outgrows the
// URI, and that the content is the same after it is encoded as base64 and decoded again.
func FuzzDecodeDataURI(f *testing.F) {
	for _, uri := range []string{
		"data:application/json;base64,eyJhIjoxfQ==", "data:;base64,-_ %3D", "data:,%7B%7D", `data:a/b;utf8,{"a":"%22#"}`,
		"DATA:;BASE64;x,", "data:", "", "%,", "data:,%",
	} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		mediaType, body, err := metadata.DecodeDataURI(uri)
		if err != nil {
			if text := err.Error(); strings.Contains(text, "\n") {
				t.Fatalf("not a reason of one line: %q", text)
			}
			return
		}
		if len(body) > len(uri) {
			t.Fatalf("%d bytes of content from a URI of %d", len(body), len(uri))
		}
		if strings.ContainsAny(mediaType, ",;") || mediaType == "" {
			t.Fatalf("media type %q", mediaType)
		}
		if !strings.Contains(uri, "%") && !strings.Contains(strings.ToLower(uri), "base64") {
			_, raw, _ := strings.Cut(strings.TrimSpace(uri), ",")
			if raw != string(body) {
				t.Fatalf("raw content %q was read as %q", raw, body)
			}
		}
		_, back, err := metadata.DecodeDataURI("data:" + ";base64," + base64Of(body))
		if err != nil || string(back) != string(body) {
			t.Fatalf("read back as %q, %v; want %q", back, err, body)
		}
	})
}
