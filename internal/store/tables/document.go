package tables

import (
	"strings"

	"mintburn/ent"
	"mintburn/internal/nft"
)

// SetDocument sets every column of a token that comes from its document.
func SetDocument(t *ent.TokenMutation, m *nft.TokenMetadata, attributes string) {
	uri, raw := Storable(m.URI), Storable(m.Raw)
	bytes := len(uri) + len(raw) + len(attributes)
	t.SetURI(uri)
	t.SetURIHasID(strings.Contains(uri, "{id}"))
	t.SetFetchedAt(m.FetchedAt)
	t.SetAttributes(attributes)
	var texts RawTexts
	for i, column := range [len(texts)]struct {
		value *string
		set   func(string)
		clear func()
	}{
		{m.Name, t.SetName, t.ClearName},
		{m.Description, t.SetDescription, t.ClearDescription},
		{m.Image, t.SetImage, t.ClearImage},
		{m.ExternalURL, t.SetExternalURL, t.ClearExternalURL},
		{m.ImageData, t.SetImageData, t.ClearImageData},
		{m.BackgroundColor, t.SetBackgroundColor, t.ClearBackgroundColor},
		{m.YoutubeURL, t.SetYoutubeURL, t.ClearYoutubeURL},
		{m.AnimationURL, t.SetAnimationURL, t.ClearAnimationURL},
	} {
		if column.value == nil {
			column.clear()
			continue
		}
		text := Storable(*column.value)
		texts[i], bytes = &text, bytes+len(text)
		column.set(text)
	}
	stored := raw
	if bytes <= LightToken {
		stored = CutRaw(raw, texts)
	}
	t.SetRaw(stored)
	t.SetTextBytes(int64(bytes - len(raw) + len(stored)))
}
