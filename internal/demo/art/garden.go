package art

import (
	"fmt"
	"strings"
)

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

func flowerOf(id uint64) flower {
	random := Garden.random(id)
	f := flower{hue: pick(random, hues), species: random.IntN(len(species)), bend: random.IntN(31) - 15, moon: random.IntN(3) == 0, firefly: random.IntN(16) == 0}
	f.petals, f.stars = 5+3*f.species+random.IntN(3), random.IntN(9)
	for range 2 * f.stars {
		f.places = append(f.places, 4+random.IntN(92))
	}
	return f
}

func (f flower) svg() string {
	var svg strings.Builder
	svg.WriteString(ground("0f1b33"))
	for i := range f.stars {
		svg.WriteString(disc(f.places[2*i], f.places[2*i+1]*2/3, 1, "dfe7ff"))
	}
	if f.moon {
		svg.WriteString(disc(82, 18, 9, "f5f1d6"))
	}
	fmt.Fprintf(&svg, "<path fill='none' stroke='#3f7d58' stroke-width='3' d='M50 44q%d 30 0 60'/><path fill='#3f7d58' d='M50 78q14-14 24-8-8 12-24 8zm0 8q-14-14-24-8 8 12 24 8z'/>", f.bend)
	fmt.Fprintf(&svg, "<g fill='#%s' stroke='#0f1b33'>", f.hue[1])
	kind := species[f.species]
	for i := range f.petals {
		fmt.Fprintf(&svg, "<ellipse cx='50' cy='%d' rx='%d' ry='%d' transform='rotate(%d 50 44)'/>", 44-kind.length, kind.width, kind.length, 360*i/f.petals)
	}
	svg.WriteString("</g>" + disc(50, 44, 7, "f2c14e"))
	if f.firefly {
		svg.WriteString(disc(20, 60, 3, "d9ff66"))
	}
	return svg.String()
}

// Flower returns the document of a token of [Garden].
func Flower(id uint64) Document {
	f := flowerOf(id)
	sky := "Dark"
	if f.moon {
		sky = "Moonlit"
	} else if f.stars > 3 {
		sky = "Starry"
	}
	attributes := []Attribute{{"Species", species[f.species].name, 0}, {"Hue", f.hue[0], 0}, {"Petals", f.petals, 16}, {"Sky", sky, 0}}
	if f.firefly {
		attributes = append(attributes, Attribute{"Visitor", "Firefly", 0})
	}
	return Garden.token(fmt.Sprintf("Night Garden #%d", id), id, f.svg(), attributes...)
}
