package art

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ethereum/go-ethereum/crypto/keccak"

	"mintburn/internal/evm"
)

// Studio is the account that deploys the collections, the first of the well-known accounts of
// test chains.
var Studio = must(evm.ParseAddress("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"))

// Collection is a collection of the demo.
type Collection struct {
	// Address is that of the contract, the Studio's first ones in this order.
	Address                         evm.Address
	Path, Name, Symbol, Description string
}

// The collections.
var (
	Drift = &Collection{
		must(evm.ParseAddress("0x5fbdb2315678afecb367f032d93f642f64180aa3")), "drift", "Drift", "DRIFT",
		"256 seas, drawn by code. Two weeks in fog, then revealed.",
	}
	Mondays = &Collection{
		must(evm.ParseAddress("0xe7f1725e7734ce288f8367e1bb143e90bb3f0512")), "mondays", "Five Mondays", "MONDAY",
		"An open edition: one print each Monday, as many copies as people want. Burn one of each for a Sunday.",
	}
	Sparks = &Collection{
		must(evm.ParseAddress("0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0")), "sparks", "Sparks", "SPARK",
		"240 sparks, minted at once. Three of them make an ember.",
	}
	Embers = &Collection{
		must(evm.ParseAddress("0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9")), "embers", "Embers", "EMBER",
		"Each ember has the colours of the three sparks that were burned for it.",
	}
	Garden = &Collection{
		must(evm.ParseAddress("0xdc64a140aa3e981100a9beca4e685f962f0cf6c9")), "garden", "Night Garden", "GARDEN",
		"A garden that opens at night and keeps growing.",
	}
	// All are the collections in the order of their addresses' nonces.
	All = []*Collection{Drift, Mondays, Sparks, Embers, Garden}
)

// Flowers is the number of tokens of [Garden] in the recording, whose ids begin with 1.
const Flowers = 200

// Document is a document of a token or a collection.
type Document struct {
	Name          string        `json:"name"`
	Symbol        string        `json:"symbol,omitempty"`
	Description   string        `json:"description"`
	Image         string        `json:"image"`
	ExternalURL   string        `json:"external_url,omitempty"`
	ExternalLink  string        `json:"external_link,omitempty"`
	Collaborators []evm.Address `json:"collaborators,omitempty"`
	Attributes    []Attribute   `json:"attributes,omitempty"`
}

// Attribute is a trait of a token: a string or a number.
type Attribute struct {
	TraitType string `json:"trait_type"`
	Value     any    `json:"value"`
	MaxValue  int    `json:"max_value,omitempty"`
}

// String returns the document as JSON.
func (d Document) String() string {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	// The fields are always valid.
	_ = lines.Encode(d)
	return strings.TrimSpace(text.String())
}

// Document returns the document of the contractURI (ERC-7572).
func (c *Collection) Document() Document {
	var svg string
	switch c {
	case Drift:
		svg = seaOf(14, 100).svg()
	case Mondays:
		svg = monday(3)
	case Sparks:
		svg = sparkOf(1).svg()
	case Embers:
		svg = ember([3]uint64{1, 2, 3})
	case Garden:
		svg = flowerOf(1).svg()
	}
	return Document{
		Name: c.Name, Symbol: c.Symbol, Description: c.Description, Image: image(svg),
		ExternalLink: "https://example.com/" + c.Path, Collaborators: []evm.Address{Studio},
	}
}

// URI returns the result of tokenURI or uri.
func (c *Collection) URI(id uint64) string {
	if c == Mondays {
		return "https://example.com/mondays/{id}.json"
	}
	return fmt.Sprintf("https://example.com/%s/%d.json", c.Path, id)
}

// token returns a document of a token.
func (c *Collection) token(name string, id uint64, svg string, attributes ...Attribute) Document {
	return Document{
		Name: name, Description: c.Description, Image: image(svg), ExternalURL: fmt.Sprintf("https://example.com/%s/%d", c.Path, id), Attributes: attributes,
	}
}

// random returns random numbers that depend on a token alone.
func (c *Collection) random(id uint64) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(c.Address[0]), id))
}

// Account returns the address of collector n.
func Account(n int) (a evm.Address) {
	hasher := keccak.NewLegacyKeccak256()
	fmt.Fprintf(hasher, "collector %d", n)
	copy(a[:], hasher.Sum(nil)[12:])
	return a
}

// image returns an SVG of 100 by 100 as a data: URI.
func image(content string) string {
	svg := "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'>" + content + "</svg>"
	return "data:image/svg+xml," + strings.NewReplacer("<", "%3C", ">", "%3E", "#", "%23", " ", "%20").Replace(svg)
}

// ground returns a rectangle that fills the picture.
func ground(colour string) string { return "<path fill='#" + colour + "' d='M0 0h100v100H0z'/>" }

// disc returns a filled circle.
func disc(x, y, radius int, colour string) string {
	return fmt.Sprintf("<circle cx='%d' cy='%d' r='%d' fill='#%s'/>", x, y, radius, colour)
}

// pick returns a random element.
func pick[T any](random *rand.Rand, list []T) T { return list[random.IntN(len(list))] }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
