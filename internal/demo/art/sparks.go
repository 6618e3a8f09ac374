package art

import (
	"fmt"
	"strings"
)

// fires are the names and the colours of sparks.
var fires = [][2]string{{"Copper", "2fbf9b"}, {"Sodium", "ffb627"}, {"Lithium", "ff4d6d"}, {"Potassium", "b388eb"}, {"Strontium", "ff5714"}, {"Caesium", "4ea8de"}, {"Magnesium", "f8f9fa"}}

// spark is the picture of a token of [Sparks].
type spark struct {
	fire [2]string
	rays []int // their lengths
	// turn is the angle of the first ray.
	turn int
}

func sparkOf(id uint64) spark {
	random := Sparks.random(id)
	s := spark{fire: pick(random, fires), turn: random.IntN(30)}
	longest := pick(random, []int{24, 34, 34, 44})
	for range 5 + random.IntN(9) {
		s.rays = append(s.rays, longest-random.IntN(14))
	}
	return s
}

func (s spark) svg() string {
	var rays strings.Builder
	for i, length := range s.rays {
		fmt.Fprintf(&rays, "<path d='M50 46V%d' transform='rotate(%d 50 50)'/>", 50-length, s.turn+360*i/len(s.rays))
	}
	return ground("17141f") + fmt.Sprintf("<g stroke='#%s' stroke-width='2' stroke-linecap='round'>%s</g>", s.fire[1], &rays) + disc(50, 50, 6, s.fire[1])
}

// Spark returns the document of a token of [Sparks].
func Spark(id uint64) Document {
	s := sparkOf(id)
	temper := "Quiet"
	if len(s.rays) > 10 {
		temper = "Wild"
	} else if len(s.rays) > 7 {
		temper = "Bright"
	}
	return Sparks.token(fmt.Sprintf("Spark #%d", id), id, s.svg(), Attribute{"Salt", s.fire[0], 0}, Attribute{"Rays", len(s.rays), 13}, Attribute{"Temper", temper, 0})
}

// ember returns the picture of an ember: the colours of sparks around each other.
func ember(sparks [3]uint64) string {
	svg := ground("201512")
	for i, id := range sparks {
		random := Embers.random(id)
		svg += disc(46+random.IntN(9), 46+random.IntN(9), 36-11*i, sparkOf(id).fire[1])
	}
	return svg + disc(50, 50, 5, "201512")
}

// Ember returns the document of a token of [Embers], for which sparks were burned.
func Ember(id uint64, sparks [3]uint64) Document {
	attributes, kinds := []Attribute{}, map[string]bool{}
	for i, name := range []string{"Halo", "Glow", "Core"} {
		salt := sparkOf(sparks[i]).fire[0]
		kinds[salt] = true
		attributes = append(attributes, Attribute{name, salt, 0})
	}
	blend := []string{"", "Pure", "Double", "Triple"}[len(kinds)]
	attributes = append(attributes, Attribute{"Blend", blend, 0}, Attribute{"Sparks", fmt.Sprintf("#%d, #%d, #%d", sparks[0], sparks[1], sparks[2]), 0})
	return Embers.token(fmt.Sprintf("Ember #%d", id), id, ember(sparks), attributes...)
}
