package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/ethereum/go-ethereum/crypto/keccak"

	"mintburn/internal/evm"
)

// Garden is the contract of Night Garden, the collection that [Live] continues.
var Garden = evm.Address{0xdc, 0x64, 0xa1, 0x40, 0xaa, 0x3e, 0x98, 0x11, 0x00, 0xa9, 0xbe, 0xca, 0x4e, 0x68, 0x5f, 0x96, 0x2f, 0x0c, 0xf6, 0xc9}

// Flowers is the number of tokens of [Garden] in the recording, whose ids begin with 1.
const Flowers = 200

// document is the document of a token.
type document struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Image       string      `json:"image"`
	ExternalURL string      `json:"external_url"`
	Attributes  []attribute `json:"attributes"`
}

// attribute is a trait of a token: a string or a number.
type attribute struct {
	TraitType string `json:"trait_type"`
	Value     any    `json:"value"`
	MaxValue  int    `json:"max_value,omitempty"`
}

var (
	hues = [][2]string{{"Blush", "f7a1b5"}, {"Butter", "fbe08d"}, {"Lilac", "c3a6e8"}, {"Coral", "ff8a73"}, {"Mint", "a5e3c4"}, {"Bone", "f3ede2"}, {"Cobalt", "6f8df2"}}
	// species are names with the radii of petals, from wide to narrow.
	species = []struct {
		name          string
		width, length int
	}{{"Poppy", 11, 14}, {"Anemone", 8, 15}, {"Daisy", 5, 16}, {"Aster", 3, 18}}
)

// flower is the picture of a token of [Garden].
type flower struct {
	hue                 [2]string
	species             int
	petals, stars, bend int
	moon, firefly       bool
	places              []int
}

// flowerOf returns the picture of a token. It depends on the id alone.
func flowerOf(id uint64) flower {
	random := rand.New(rand.NewPCG(uint64(Garden[0]), id))
	f := flower{hue: hues[random.IntN(len(hues))], species: random.IntN(len(species)), bend: random.IntN(31) - 15, moon: random.IntN(3) == 0, firefly: random.IntN(16) == 0}
	f.petals, f.stars = 5+3*f.species+random.IntN(3), random.IntN(9)
	for range 2 * f.stars {
		f.places = append(f.places, 4+random.IntN(92))
	}
	return f
}

func (f flower) svg() string {
	var svg strings.Builder
	disc := func(x, y, radius int, colour string) {
		fmt.Fprintf(&svg, "<circle cx='%d' cy='%d' r='%d' fill='#%s'/>", x, y, radius, colour)
	}
	svg.WriteString("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 100 100'><path fill='#0f1b33' d='M0 0h100v100H0z'/>")
	for i := range f.stars {
		disc(f.places[2*i], f.places[2*i+1]*2/3, 1, "dfe7ff")
	}
	if f.moon {
		disc(82, 18, 9, "f5f1d6")
	}
	fmt.Fprintf(&svg, "<path fill='none' stroke='#3f7d58' stroke-width='3' d='M50 44q%d 30 0 60'/><path fill='#3f7d58' d='M50 78q14-14 24-8-8 12-24 8zm0 8q-14-14-24-8 8 12 24 8z'/>", f.bend)
	fmt.Fprintf(&svg, "<g fill='#%s' stroke='#0f1b33'>", f.hue[1])
	kind := species[f.species]
	for i := range f.petals {
		fmt.Fprintf(&svg, "<ellipse cx='50' cy='%d' rx='%d' ry='%d' transform='rotate(%d 50 44)'/>", 44-kind.length, kind.width, kind.length, 360*i/f.petals)
	}
	svg.WriteString("</g>")
	disc(50, 44, 7, "f2c14e")
	if f.firefly {
		disc(20, 60, 3, "d9ff66")
	}
	svg.WriteString("</svg>")
	return svg.String()
}

// uriOf returns the result of tokenURI for a token of [Garden].
func uriOf(id uint64) string { return fmt.Sprintf("https://example.com/garden/%d.json", id) }

// textOf returns the document of a token of [Garden], whose picture is a data: URI.
func textOf(id uint64) string {
	f := flowerOf(id)
	sky := "Dark"
	if f.moon {
		sky = "Moonlit"
	} else if f.stars > 3 {
		sky = "Starry"
	}
	attributes := []attribute{{"Species", species[f.species].name, 0}, {"Hue", f.hue[0], 0}, {"Petals", f.petals, 16}, {"Sky", sky, 0}}
	if f.firefly {
		attributes = append(attributes, attribute{"Visitor", "Firefly", 0})
	}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	// The fields are always valid.
	_ = lines.Encode(document{
		Name: fmt.Sprintf("Night Garden #%d", id), Description: "A garden that opens at night and keeps growing.",
		Image:       "data:image/svg+xml," + strings.NewReplacer("<", "%3C", ">", "%3E", "#", "%23", " ", "%20").Replace(f.svg()),
		ExternalURL: fmt.Sprintf("https://example.com/garden/%d", id), Attributes: attributes,
	})
	return strings.TrimSpace(text.String())
}

// account returns the address of collector n.
func account(n int) (a evm.Address) {
	hasher := keccak.NewLegacyKeccak256()
	fmt.Fprintf(hasher, "collector %d", n)
	copy(a[:], hasher.Sum(nil)[12:])
	return a
}
