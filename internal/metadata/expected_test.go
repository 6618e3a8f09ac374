package metadata_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/expect"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

// expectation is a record as the answer keys have it: only what is listed is
// compared, and what is loose may differ.
type expectation struct {
	Case       string
	Path       string
	Note       string
	Outcome    string
	Fields     map[string]*string
	Attributes *[]expectedAttribute
	Loose      []string
}

type expectedAttribute struct {
	TraitType *string  `json:"trait_type"`
	Value     *string  `json:"value"`
	MaxValue  *float64 `json:"max_value"`
}

// compare reports where m is not what is expected.
func (want expectation) compare(t *testing.T, m nft.Metadata) {
	t.Helper()
	fields := map[string]*string{
		"name": m.Name, "description": m.Description, "image": m.Image, "external_url": m.ExternalURL,
		"image_data": m.ImageData, "background_color": m.BackgroundColor, "youtube_url": m.YoutubeURL,
		"animation_url": m.AnimationURL,
	}
	for name, value := range want.Fields {
		if slices.Contains(want.Loose, name) {
			continue
		}
		expect.Equal(t, name, value, fields[name])
	}
	for i, attribute := range m.Attributes {
		if i > 0 && attribute.Order <= m.Attributes[i-1].Order {
			t.Errorf("attribute %d has order %d after %d", i, attribute.Order, m.Attributes[i-1].Order)
		}
	}
	if want.Attributes == nil || slices.Contains(want.Loose, "attributes") {
		return
	}
	if len(m.Attributes) != len(*want.Attributes) {
		t.Fatalf("got %d attributes, want %d", len(m.Attributes), len(*want.Attributes))
	}
	for i, attribute := range *want.Attributes {
		want.compareAttribute(t, i, attribute, m.Attributes[i])
	}
}

func (want expectation) compareAttribute(t *testing.T, i int, attribute expectedAttribute, got nft.Attribute) {
	t.Helper()
	at := fmt.Sprintf("attributes[%d]", i)
	loose := func(part string) bool {
		return slices.Contains(want.Loose, at+part) || slices.Contains(want.Loose, "attributes."+got.TraitType+part)
	}
	if attribute.TraitType != nil && !loose(".trait_type") && *attribute.TraitType != got.TraitType {
		t.Errorf("%s.trait_type = %q, want %q", at, got.TraitType, *attribute.TraitType)
	}
	if attribute.Value != nil && !loose("") && *attribute.Value != got.Value {
		t.Errorf("%s.value = %q, want %q", at, got.Value, *attribute.Value)
	}
	if attribute.MaxValue != nil && !loose(".max_value") {
		expect.Equal(t, fmt.Sprintf("%s.max_value", at), attribute.MaxValue, got.MaxValue)
	}
}

// siteAnswer is what the recorded web site says for a path.
type siteAnswer struct {
	Path       string
	Status     int
	Headers    map[string]string
	Body       string
	BodyBase64 []byte `json:"body_base64"`
	Fill       *struct {
		Prefix, Repeat, Suffix string
		Times                  *int
		Gzip                   bool
	}
	Sequence []siteAnswer
	DelayMs  int `json:"delay_ms"`
	DripMs   int `json:"drip_ms"`
	Close    bool
}

// document returns the answer's body, or false where it takes more than
// normalising to arrive at one.
func (a siteAnswer) document() (string, bool) {
	encoded := a.Headers["content-encoding"] != ""
	if a.Status != 200 || encoded || a.Sequence != nil || a.DelayMs > 0 || a.DripMs > 0 || a.Close {
		return "", false
	}
	if a.Fill != nil {
		if a.Fill.Times == nil {
			return "", false
		}
		return a.Fill.Prefix + strings.Repeat(a.Fill.Repeat, *a.Fill.Times) + a.Fill.Suffix, true
	}
	if a.BodyBase64 != nil {
		return string(a.BodyBase64), true
	}
	return a.Body, true
}

func TestNormalise_RecordedSite(t *testing.T) {
	site := map[string]siteAnswer{}
	for _, answer := range sharedLines[siteAnswer](t, "metadata/site.ndjson.gz") {
		site[answer.Path] = answer
	}
	outcomes := map[string]int{}
	for _, want := range sharedLines[expectation](t, "metadata/expected.ndjson") {
		raw, ok := site[want.Path].document()
		if !ok {
			continue
		}
		outcomes[want.Outcome]++
		t.Run(want.Case, func(t *testing.T) {
			standard, id := nft.ERC721, evm.Uint256{}
			if text, isMulti := strings.CutPrefix(want.Case, "multi1155/"); isMulti {
				standard, id = nft.ERC1155, parseID(t, text)
			}
			m, err := metadata.Normalise(raw, standard, id)
			switch {
			case err != nil && want.Outcome == "record":
				t.Fatalf("%s: %v", want.Note, err)
			case err == nil && want.Outcome == "failure":
				t.Fatalf("%s: a record came out", want.Note)
			case err != nil:
				if text := err.Error(); strings.Contains(text, "\n") || len(text) > 120 {
					t.Errorf("the reason is not one short line: %q", text)
				}
			default:
				want.compare(t, m)
			}
		})
	}
	// What is left out needs the network: redirects, encodings, delays, sequences.
	expect.Equal(t, "cases", map[string]int{"record": 175, "failure": 5, "either": 15}, outcomes)
}

func TestNormalise_OnChain(t *testing.T) {
	type call struct {
		To, Fn, Result string
		Args           []string
	}
	uris := map[string]string{}
	for _, call := range sharedLines[call](t, "chain-a/calls.ndjson.gz") {
		if call.Fn == "tokenURI" && call.Result != "" {
			uris[call.To+"/"+call.Args[0]] = abiString(t, call.Result)
		}
	}
	type record struct {
		expectation
		CollectionAddress string `json:"collection_address"`
		TokenID           string `json:"token_id"`
		Encoding          string
	}
	records := sharedLines[record](t, "chain-a/expected-onchain-metadata.ndjson")
	if len(records) != 12 {
		t.Fatalf("got %d records, want 12", len(records))
	}
	for _, want := range records {
		t.Run(want.TokenID+want.Encoding, func(t *testing.T) {
			mediaType, body, err := metadata.DecodeDataURI(uris[want.CollectionAddress+"/"+want.TokenID])
			if err != nil || mediaType != "application/json" {
				t.Fatalf("DecodeDataURI = %q, %v", mediaType, err)
			}
			m, err := metadata.Normalise(string(body), nft.ERC721, parseID(t, want.TokenID))
			expect.NoError(t, err)
			want.compare(t, m)
		})
	}
}

// abiString returns the one string of an eth_call result.
func abiString(t *testing.T, result string) string {
	t.Helper()
	data, err := hex.DecodeString(strings.TrimPrefix(result, "0x"))
	if err != nil || len(data) < 64 {
		t.Fatalf("not an ABI string: %v", err)
	}
	length := int(data[62])<<8 | int(data[63])
	return string(data[64 : 64+length])
}

func parseID(t *testing.T, text string) evm.Uint256 {
	t.Helper()
	id, err := evm.ParseUint256(text)
	expect.NoError(t, err)
	return id
}
