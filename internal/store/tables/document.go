package tables

import (
	"encoding/json"
	"errors"
	"strings"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/internal/nft"
)

// Texts are the texts of a token's document. Their order is that of their marks in stored
// documents, so a new one is the last. Everything that stores, reads or selects texts follows
// this list.
var Texts = [...]Text{
	{token.FieldName, func(m *nft.Metadata) **string { return &m.Name }, func(t *ent.Token) **string { return &t.Name }},
	{token.FieldDescription, func(m *nft.Metadata) **string { return &m.Description }, func(t *ent.Token) **string { return &t.Description }},
	{token.FieldImage, func(m *nft.Metadata) **string { return &m.Image }, func(t *ent.Token) **string { return &t.Image }},
	{token.FieldExternalURL, func(m *nft.Metadata) **string { return &m.ExternalURL }, func(t *ent.Token) **string { return &t.ExternalURL }},
	{token.FieldImageData, func(m *nft.Metadata) **string { return &m.ImageData }, func(t *ent.Token) **string { return &t.ImageData }},
	{token.FieldBackgroundColor, func(m *nft.Metadata) **string { return &m.BackgroundColor }, func(t *ent.Token) **string { return &t.BackgroundColor }},
	{token.FieldYoutubeURL, func(m *nft.Metadata) **string { return &m.YoutubeURL }, func(t *ent.Token) **string { return &t.YoutubeURL }},
	{token.FieldAnimationURL, func(m *nft.Metadata) **string { return &m.AnimationURL }, func(t *ent.Token) **string { return &t.AnimationURL }},
}

// Text is a text of a document: its column in tokens, and its place in the document and in a row.
type Text struct {
	Column string
	Of     func(*nft.Metadata) **string
	Row    func(*ent.Token) **string
}

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
