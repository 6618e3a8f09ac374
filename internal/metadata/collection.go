package metadata

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// collectionFunctions are the functions of a contract that describe the collection: name and
// symbol of ERC-721, which many ERC-1155 contracts have too, and contractURI of ERC-7572.
var collectionFunctions = [...]function{
	{"name", [4]byte{0x06, 0xFD, 0xDE, 0x03}},
	{"symbol", [4]byte{0x95, 0xD8, 0x9B, 0x41}},
	{"contractURI", [4]byte{0xE8, 0xA3, 0xD4, 0x85}},
}

// maxNameData is how many bytes of the result of name or symbol are decoded.
const maxNameData = 4 << 10

// askCollections calls the contracts of collections for their names and contractURI. A revert
// or an empty result means that the contract lacks the function.
func askCollections(ctx context.Context, caller Caller, tasks []nft.Task) ([]answer, error) {
	const each = len(collectionFunctions)
	calls := make([]evm.Call, 0, each*len(tasks))
	for _, task := range tasks {
		for i, f := range collectionFunctions {
			calls = append(calls, evm.Call{To: task.Contract, Data: f.selector[:]})
			if i < each-1 {
				calls[len(calls)-1].Limit = maxNameData
			}
		}
	}
	results, err := caller.Call(ctx, calls)
	if err != nil {
		return nil, err
	}
	if len(results) != len(calls) {
		return nil, fmt.Errorf("got %d results for %d calls", len(results), len(calls))
	}
	answers := make([]answer, len(tasks))
	for i, task := range tasks {
		a := answer{task: task, collection: &nft.CollectionResult{}}
		of := results[each*i:]
		if result := of[each-1]; !result.Reverted && (result.Problem != "" || len(result.Data) > 0) {
			if uri, err := DecodeURI(result.Data); result.Problem != "" || err != nil || uri != "" {
				a.decode(collectionFunctions[each-1].name, result)
			}
		}
		a.collection.Name, a.collection.Symbol = a.nameFrom(of, 0), a.nameFrom(of, 1)
		answers[i] = a
	}
	return answers, nil
}

// nameFrom returns the name in the result of a function. If the call failed without a revert,
// it sets the failure and returns nil.
func (a *answer) nameFrom(results []evm.CallResult, of int) *string {
	result := results[of]
	if result.Problem != "" && !result.Reverted {
		a.failure = temporary("%s: %s", collectionFunctions[of].name, result.Problem)
		return nil
	}
	return new(DecodeName(result.Data))
}

// DecodeName returns the name or symbol in the result of a contract, cleaned by
// [nft.CleanName]. The result is an ABI-encoded string, which may be cut at the end, or 32 bytes
// of text (bytes32). Otherwise DecodeName returns "".
func DecodeName(data []byte) string {
	if len(data) == 32 {
		if text := strings.TrimRight(string(data), "\x00"); isText(text) {
			return nft.CleanName(text)
		}
		return "" // a number
	}
	offset, ok := wordAt(data, 0)
	if !ok || offset > len(data)-32 {
		return ""
	}
	rest := data[offset+32:]
	length, ok := wordAt(data, offset)
	if !ok || length > len(rest) {
		if len(data) < maxNameData {
			return ""
		}
		length = len(rest)
	}
	return nft.CleanName(strings.Trim(string(rest[:length]), "\x00"))
}

// isText reports whether 32 bytes are text: UTF-8, or without control characters and mostly
// UTF-8. Hashes have both.
func isText(text string) bool {
	invalid := 0
	for _, r := range text {
		if r == utf8.RuneError {
			invalid++
		}
	}
	return !strings.HasPrefix(text, "\x00") && (invalid == 0 || 2*invalid <= len(text) && !strings.ContainsFunc(text, unicode.IsControl))
}

// NormaliseCollection reads the JSON document of a contractURI (ERC-7572) by the rules of
// [Normalise]. The first text that is not empty is used of image, image_url and imageUrl, of
// banner_image, banner_image_url and bannerImage, of featured_image and featuredImage, and of
// external_link, external_url and external_uri. Collaborators that are no addresses are
// skipped. It fails as Normalise does, and for more than [MaxAttributes] collaborators.
func NormaliseCollection(raw string) (m nft.CollectionMetadata, err error) {
	doc, err := pickDocument(raw, "collection", "name", "symbol", "description", "image", "image_url", "imageUrl", "banner_image", "banner_image_url", "bannerImage",
		"featured_image", "featuredImage", "external_link", "external_url", "external_uri", "collaborators",
		// OpenSea's royalties, which are not read: some contracts have nothing else.
		"seller_fee_basis_points", "fee_recipient")
	if err != nil {
		return m, err
	}
	r := reader{}
	m = nft.CollectionMetadata{
		Name: r.field(doc, "name"), Symbol: r.field(doc, "symbol"), Description: r.field(doc, "description"),
		Image:         r.field(doc, "image", "image_url", "imageUrl"),
		BannerImage:   r.field(doc, "banner_image", "banner_image_url", "bannerImage"),
		FeaturedImage: r.field(doc, "featured_image", "featuredImage"),
		ExternalURL:   r.field(doc, "external_link", "external_url", "external_uri"),
	}
	if list := doc["collaborators"]; kind(list) == '[' {
		err = each(list, func(_ string, value json.RawMessage) error {
			var address evm.Address
			if address.UnmarshalText([]byte(r.text(value))) == nil {
				m.Collaborators = append(m.Collaborators, address)
			}
			if len(m.Collaborators) > MaxAttributes {
				return fmt.Errorf("document has more than %d collaborators", MaxAttributes)
			}
			return nil
		})
	}
	return m, cmp.Or(r.err, err)
}
