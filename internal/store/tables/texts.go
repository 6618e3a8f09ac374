package tables

import (
	"crypto/sha256"

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

// Hash16 returns the 16-byte hash that identifies a trait or a value of any length.
func Hash16(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}
