package tables

import (
	"encoding/json"
	"errors"
	"strings"

	"mintburn/ent"
	"mintburn/internal/nft"
)

// SetDocument sets every column of a token that comes from its document.
func SetDocument(t *ent.TokenMutation, m *nft.TokenMetadata, attributes string) error {
	uri, raw := Storable(m.URI), Storable(m.Raw)
	bytes := len(uri) + len(raw) + len(attributes)
	if types := displayTypes(m.Attributes); types == "" {
		t.ClearDisplayTypes()
	} else {
		t.SetDisplayTypes(types)
		bytes += len(types)
	}
	t.SetURI(uri)
	t.SetURIHasID(strings.Contains(uri, "{id}"))
	t.SetFetchedAt(m.FetchedAt)
	t.SetAttributes(attributes)
	var texts [len(Texts)]*string
	var errs error
	for i, text := range Texts {
		value := *text.Of(&m.Metadata)
		if value == nil {
			errs = errors.Join(errs, t.ClearField(text.Column))
			continue
		}
		stored := Storable(*value)
		texts[i], bytes = &stored, bytes+len(stored)
		errs = errors.Join(errs, t.SetField(text.Column, stored))
	}
	stored := raw
	if bytes <= LightToken {
		stored = CutRaw(raw, texts[:])
	}
	t.SetRaw(stored)
	t.SetTextBytes(int64(bytes - len(raw) + len(stored)))
	return errs
}

// displayTypes returns the display types of attributes in their stored form, "" if none has
// one.
func displayTypes(attributes []nft.Attribute) string {
	types, some := make([]string, len(attributes)), false
	for i, a := range attributes {
		types[i], some = Storable(a.DisplayType), some || a.DisplayType != ""
	}
	if !some {
		return ""
	}
	text, _ := json.Marshal(types) // Strings always have a JSON text.
	return string(text)
}
