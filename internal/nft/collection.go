package nft

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mintburn/internal/evm"
)

// CollectionMetadata is the normalised content of the document that a contract's contractURI
// leads to (ERC-7572). A string is nil if it is missing or empty in the document.
type CollectionMetadata struct {
	Name          *string       `json:"name,omitempty"`
	Symbol        *string       `json:"symbol,omitempty"`
	Description   *string       `json:"description,omitempty"`
	Image         *string       `json:"image,omitempty"`
	BannerImage   *string       `json:"banner_image,omitempty"`
	FeaturedImage *string       `json:"featured_image,omitempty"`
	ExternalURL   *string       `json:"external_url,omitempty"`
	Collaborators []evm.Address `json:"collaborators,omitempty"`
}

// CollectionResult is what the fetch of a [Task] has found out about a collection.
type CollectionResult struct {
	// Name and Symbol are the results of name() and symbol(), cleaned by [CleanName]. They
	// are "" if the contract has none, and nil if the call failed for another reason.
	Name, Symbol *string
	// Document is the content of the document, and Raw its text. Document is nil if the
	// contract has no contractURI, or if there is a problem.
	Document *CollectionMetadata
	Raw      string
}

// MaxName is the maximum size of a collection's name or symbol in bytes.
const MaxName = 256

// CleanName returns a name or symbol from a contract or a document in a form that is safe to
// show: valid UTF-8 without white space around it, in which control and bidirectional
// characters are U+FFFD, cut at a character to [MaxName] bytes.
func CleanName(text string) string {
	if len(text) > 4*MaxName {
		text = text[:4*MaxName]
	}
	text = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
			return unicode.ReplacementChar
		}
		return r // invalid bytes arrive as U+FFFD
	}, strings.TrimSpace(text))
	if len(text) > MaxName {
		end := MaxName
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return strings.TrimSpace(text)
}
