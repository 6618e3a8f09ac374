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
	// MaxDocument is the maximum size of a document in bytes, 4 MiB. Documents of
	// fully on-chain art reach about 1 MB.
	MaxDocument = 4 << 20
	// MaxAttributes is the maximum number of attributes of a document. A document
	// with more fails, because a truncated list would look complete.
	MaxAttributes = 10_000
)

// Normalise reads the JSON document of token id by the OpenSea conventions, see
// docs/data.md#token-metadata.
//
// Text fields: a string becomes its content, a number or boolean its JSON text with all
// digits, an object or array compact JSON, and null, "" or a missing member nil. The first
// value that is not nil is used of image, image_url and imageUrl, of external_url,
// external_link and external_uri, of animation_url and animation, and of name and title. The
// leading # of background_color is removed. Names are case-sensitive. If a name is repeated,
// the last value is used.
//
// Some documents are EIP-721's JSON Schema with the values in place of the descriptions.
// Their name, description and image, unless given as above, are properties.name.description
// and so on, and their title is not the name.
//
// Attributes are never nil. They come from the member attributes or, if that has none, from
// traits; either is an array of objects, an object that maps names to values, or JSON of one in a
// string, see reader.attributes. A trait's type and value are text as above, but "" instead of
// nil, so that a trait whose value is null is kept. max_value is a number or a string that
// contains one, and nil if it does not fit into a double. trait_count and order must be integers from 0 to [evm.MaxLong] and are
// otherwise ignored; order defaults to the 1-based position among the attributes.
//
// For [nft.ERC1155] each "{id}" in a text is replaced as by [ReplaceID] (EIP-1155,
// "Metadata": in any JSON value), except in the description, which is prose for people and
// may mention the placeholder.
//
// Normalise tolerates encoding errors (see [Text]); lone surrogate escapes and U+0000,
// which PostgreSQL cannot store, become U+FFFD. It is strict about JSON. It returns an error,
// which is one short line, if the document
//   - is not exactly one JSON object (RFC 8259),
//   - has none of the members that are read, nor properties, decimals or localization
//     (EIP-721, EIP-1155): hosts send errors as JSON with status 200,
//   - is larger than [MaxDocument], or grows by more than that when {id} is replaced,
//   - is nested more than 10,000 deep, or
//   - has more than [MaxAttributes] attributes.
func Normalise(raw string, standard nft.ContractType, id evm.Uint256) (nft.Metadata, error) {
	doc, err := pickDocument(raw, "token", "name", "title", "description", "image", "image_url", "image_data",
		"external_url", "external_link", "background_color", "youtube_url", "animation_url",
		"attributes", "traits", "imageUrl", "external_uri", "animation", "properties", "decimals", "localization")
	if err != nil {
		return nft.Metadata{}, err
	}
	r, prose := reader{}, reader{}
	if standard == nft.ERC1155 {
		r.id = idDigits(id)
	}
	schema, err := schemaOf(doc["properties"])
	if err != nil {
		return nft.Metadata{}, err
	}
	if schema != nil {
		delete(doc, "title")
	}
	m := nft.Metadata{
		Name:            cmp.Or(r.field(doc, "name", "title"), r.field(schema, "name")),
		Description:     cmp.Or(prose.field(doc, "description"), prose.field(schema, "description")),
		Image:           cmp.Or(r.field(doc, "image", "image_url", "imageUrl"), r.field(schema, "image")),
		ExternalURL:     r.field(doc, "external_url", "external_link", "external_uri"),
		ImageData:       r.field(doc, "image_data"),
		BackgroundColor: optional(strings.TrimLeft(r.text(doc["background_color"]), "#")),
		YoutubeURL:      r.field(doc, "youtube_url"),
		AnimationURL:    r.field(doc, "animation_url", "animation"),
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

// pickDocument returns the members with these names of the document of a token or, as of says,
// a collection. It fails if the document
// is too large, is no JSON object, or has none of them.
func pickDocument(raw, of string, names ...string) (map[string]json.RawMessage, error) {
	if len(raw) > MaxDocument {
		return nil, errTooLarge()
	}
	text := strings.TrimFunc(Text([]byte(raw)), isBlank)
	if text == "" {
		return nil, errors.New("document is empty")
	}
	if err := checkJSON([]byte(text)); err != nil {
		return nil, err
	}
	if text[0] != '{' {
		return nil, errors.New("document is not a JSON object")
	}
	doc, err := pick([]byte(text), names...)
	if err == nil && len(doc) == 0 {
		err = fmt.Errorf("document has no member of %s metadata, such as name or image", of)
	}
	return doc, err
}

// schemaOf returns the descriptions of name, description and image in the properties of a JSON
// Schema (EIP-721, "ERC721 Metadata JSON Schema"), or nil if they are properties of another
// kind, such as EIP-1155's.
func schemaOf(properties json.RawMessage) (map[string]json.RawMessage, error) {
	if kind(properties) != '{' {
		return nil, nil
	}
	named, err := pick(properties, "name", "description", "image")
	if err != nil {
		return nil, err
	}
	var schema map[string]json.RawMessage
	for name, property := range named {
		if kind(property) != '{' {
			continue
		}
		parts, err := pick(property, "type", "description", "value")
		if err != nil {
			return nil, err
		}
		if kind(parts["type"]) == '"' && kind(parts["description"]) == '"' && parts["value"] == nil {
			if schema == nil {
				schema = map[string]json.RawMessage{}
			}
			schema[name] = parts["description"]
		}
	}
	return schema, nil
}

func errTooLarge() error {
	return fmt.Errorf("document is larger than %d bytes", MaxDocument)
}

// checkJSON returns a one-line error unless text is exactly one JSON value.
func checkJSON(text []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(text, &whole)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("document is not valid JSON: %w at byte %d", syntax, syntax.Offset)
	}
	return err
}

// field returns the first text that is not empty among these members, or nil.
func (r *reader) field(doc map[string]json.RawMessage, names ...string) *string {
	for _, name := range names {
		if text := optional(r.text(doc[name])); text != nil {
			return text
		}
	}
	return nil
}

// optional returns nil for the empty string: records do not distinguish an empty text from
// a missing one.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
