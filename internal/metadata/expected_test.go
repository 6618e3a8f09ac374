package metadata_test

import (
	"fmt"
	"slices"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
	"mintburn/internal/testing/expect"
)

// expectation is a record from the answer keys. Only listed fields and attributes are
// compared, except those in Loose, which may differ.
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

// compare fails the test for each difference between m and the expectation.
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

// siteAnswer is the recorded web site's answer for a path.
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

func parseID(t *testing.T, text string) evm.Uint256 {
	t.Helper()
	id, err := evm.ParseUint256(text)
	expect.NoError(t, err)
	return id
}
