package metadata

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

const (
	// MaxDocument is the largest document that is read, in bytes: 4 MiB. The
	// documents of fully on-chain art reach about 1 MB.
	MaxDocument = 4 << 20
	// MaxAttributes is the largest number of attributes of one document. A
	// document with more fails, because half a list would look like a whole
	// one.
	MaxAttributes = 10_000
)

// Normalise reads the JSON document of token id by the OpenSea conventions:
// docs/data.md#token-metadata.
//
// Text: a string gives its content; a number or boolean its JSON text with its
// digits untouched; an object or array compact JSON; null, "" and a missing
// member nil. The first that is not nil counts of image and image_url, of
// external_url and external_link, and of name and title. background_color
// loses its leading #. Names are case-sensitive; the last of equal names
// counts.
//
// Attributes, never nil: from attributes or else traits, an array of objects
// or an object of name to value. A trait's type and value are text as above,
// "" in place of nil, so that a trait whose value is null is kept. An element
// that is no object is a value without a type; a null element is skipped.
// max_value is a number or a string that spells one, and nil where a double
// cannot hold it. trait_count and order count when they are integers from 0
// to [evm.MaxLong]; order is else the 1-based place among the attributes.
//
// For [nft.ERC1155] each "{id}" in a text is replaced as [ReplaceID] does
// (EIP-1155, "Metadata": in any JSON value), except in the description, which
// is prose for people and may speak of the placeholder.
//
// Normalise is tolerant of the encoding (see [Text]); lone surrogate escapes
// and U+0000, which PostgreSQL cannot store, become U+FFFD. It is strict
// about JSON: an error of one short line is returned for what is not exactly
// one JSON object (RFC 8259), is larger than [MaxDocument] or grows by more than
// that when {id} is replaced, is nested more than 10,000 deep or has more than
// [MaxAttributes] attributes.
func Normalise(raw string, standard nft.ContractType, id evm.Uint256) (nft.Metadata, error) {
	if len(raw) > MaxDocument {
		return nft.Metadata{}, errTooLarge()
	}
	text := strings.TrimLeft(Text([]byte(raw)), " \t\r\n")
	if text == "" {
		return nft.Metadata{}, errors.New("document is empty")
	}
	if err := checkJSON([]byte(text)); err != nil {
		return nft.Metadata{}, err
	}
	if text[0] != '{' {
		return nft.Metadata{}, errors.New("document is not a JSON object")
	}

	doc, err := pick([]byte(text), "name", "title", "description", "image", "image_url", "image_data",
		"external_url", "external_link", "background_color", "youtube_url", "animation_url",
		"attributes", "traits")
	if err != nil {
		return nft.Metadata{}, err
	}
	r, prose := reader{}, reader{}
	if standard == nft.ERC1155 {
		r.id = idDigits(id)
	}
	m := nft.Metadata{
		Name:            r.field(doc, "name", "title"),
		Description:     prose.field(doc, "description"),
		Image:           r.field(doc, "image", "image_url"),
		ExternalURL:     r.field(doc, "external_url", "external_link"),
		ImageData:       r.field(doc, "image_data"),
		BackgroundColor: optional(strings.TrimLeft(r.text(doc["background_color"]), "#")),
		YoutubeURL:      r.field(doc, "youtube_url"),
		AnimationURL:    r.field(doc, "animation_url"),
	}
	if m.Attributes, err = r.attributes(doc["attributes"]); err != nil {
		return nft.Metadata{}, err
	}
	if len(m.Attributes) == 0 {
		if m.Attributes, err = r.attributes(doc["traits"]); err != nil {
			return nft.Metadata{}, err
		}
	}
	if err = cmp.Or(r.err, prose.err); err != nil {
		return nft.Metadata{}, err
	}
	return m, nil
}

func errTooLarge() error {
	return fmt.Errorf("document is larger than %d bytes", MaxDocument)
}

// checkJSON returns an error of one line unless text is one JSON value.
func checkJSON(text []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(text, &whole)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("document is not valid JSON: %w at byte %d", syntax, syntax.Offset)
	}
	return err
}

// field returns the text of the first of names that has one, or nil.
func (r *reader) field(doc map[string]json.RawMessage, names ...string) *string {
	for _, name := range names {
		if text := optional(r.text(doc[name])); text != nil {
			return text
		}
	}
	return nil
}

// optional returns nil for the empty string, which in a record means the same
// as a missing one.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
