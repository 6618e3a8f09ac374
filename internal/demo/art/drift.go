package art

import (
	"fmt"
	"strings"
)

// palette is a sky, a sun and the colours of waves, the far one first.
type palette struct {
	name, sky, sun string
	waves          []string
}

var palettes = []palette{
	{"Dusk", "f6bd9d", "e4572e", []string{"c98ba4", "8f6593", "5b4a7d", "332f5c"}},
	{"Reef", "d9f0ec", "ff8f6b", []string{"8fd3c8", "4fb3b0", "1f8a94", "0f5f73"}},
	{"Moss", "eef0d0", "f2b134", []string{"b9c58a", "8aa35b", "5c7f47", "37573a"}},
	{"Ink", "e8e8ea", "1d1d22", []string{"b9bcc4", "8a8f9c", "565c6b", "2b303c"}},
	{"Rose", "fde6e4", "d7263d", []string{"f3b6b6", "e08a95", "b95c76", "7f3b58"}},
	{"Citrus", "fff3c9", "ff7f11", []string{"ffd45c", "f4a62a", "d9772b", "9c4a1a"}},
	{"Frost", "eaf4fb", "f7d070", []string{"bcd9ee", "8bb8dc", "5a8fbf", "2f6296"}},
	{"Midnight", "16213e", "f5f3ce", []string{"2d4373", "24365e", "1a2947", "0f1a30"}},
}

// sea is the picture of a token of [Drift].
type sea struct {
	palette     palette
	swell, sky  string
	layers, sun int
	// tide is the level of the water in percent of the usual one.
	tide int
	boat bool
	// shift moves each layer to the left.
	shift []int
}

// heights are those of waves by swell.
var heights = map[string]int{"Calm": 5, "Rolling": 11, "Storm": 20}

func seaOf(id uint64, tide int) sea {
	random := Drift.random(id)
	s := sea{palette: pick(random, palettes), layers: 3 + random.IntN(5), sun: 18 + random.IntN(64), tide: tide}
	s.swell = pick(random, []string{"Calm", "Calm", "Rolling", "Rolling", "Rolling", "Storm"})
	s.sky = pick(random, []string{"Sun", "Sun", "Sun", "Crescent", "Crescent", "Two moons", "Eclipse"})
	s.boat = random.IntN(20) == 0
	for range s.layers {
		s.shift = append(s.shift, random.IntN(40))
	}
	return s
}

func (s sea) svg() string {
	var svg strings.Builder
	svg.WriteString(ground(s.palette.sky))
	switch s.sky {
	case "Sun":
		svg.WriteString(disc(s.sun, 28, 12, s.palette.sun))
	case "Crescent":
		svg.WriteString(disc(s.sun, 26, 10, s.palette.sun) + disc(s.sun+4, 23, 9, s.palette.sky))
	case "Two moons":
		svg.WriteString(disc(s.sun, 30, 8, s.palette.sun) + disc(100-s.sun, 18, 5, s.palette.sun))
	case "Eclipse":
		svg.WriteString(disc(s.sun, 27, 12, s.palette.sun) + disc(s.sun, 27, 10, s.palette.waves[3]))
	}
	for i, shift := range s.shift {
		level := 100 - s.tide*(s.layers-i)*58/s.layers/100
		if s.boat && i == s.layers/2 {
			fmt.Fprintf(&svg, "<path fill='#%s' d='M%d %dh16l-4 6h-8zm7-1v-16l8 14z'/>", s.palette.sun, 92-s.sun, level-3)
		}
		fmt.Fprintf(&svg, "<path fill='#%s' d='M-%d %dq12-%d 24 0t24 0 24 0 24 0 24 0 24 0V100H0z'/>",
			s.palette.waves[i*len(s.palette.waves)/s.layers], shift, level, heights[s.swell])
	}
	return svg.String()
}

// Hidden returns the document of a token of [Drift] before the reveal.
func Hidden(id uint64) Document {
	d := Drift.token(fmt.Sprintf("Drift #%d", id), id, ground("c9ccd3")+
		"<path fill='none' stroke='#fff' stroke-width='5' opacity='.6' d='M-8 36q12-8 24 0t24 0 24 0 24 0 24 0M-18 54q12-8 24 0t24 0 24 0 24 0 24 0M-3 72q12-8 24 0t24 0 24 0 24 0 24 0'/>")
	d.Description = "Still in fog."
	return d
}

// Sea returns the document of a token of [Drift]. At high tide, its owner has let the water rise.
func Sea(id uint64, high bool) Document {
	s, tide := seaOf(id, 100), "Low"
	if high {
		s.tide, tide = 135, "High"
	}
	attributes := []Attribute{
		{"Palette", s.palette.name, 0}, {"Sky", s.sky, 0}, {"Swell", s.swell, 0}, {"Layers", s.layers, 7}, {"Tide", tide, 0},
	}
	if s.boat {
		attributes = append(attributes, Attribute{"Boat", "Sailing", 0})
	}
	return Drift.token(fmt.Sprintf("Drift #%d", id), id, s.svg(), attributes...)
}
