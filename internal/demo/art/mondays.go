package art

import (
	"fmt"
	"strings"
)

// The tokens of [Mondays] that are no print of a Monday, which have the ids 1 to 5.
const (
	Sunday = 7
	Ink    = 8
)

// prints are the colours of the papers and the lines, by the number of the Monday minus 1.
var prints = [5][2]string{{"f4efe6", "1f3c88"}, {"fbe9d7", "d1495b"}, {"e9f1e4", "2e6f57"}, {"f3e8f5", "6b2d7b"}, {"fff4d6", "c8553d"}}

// monday returns the print of a Monday, a grid of quarter circles.
func monday(n uint64) string {
	random, colours := Mondays.random(n), prints[n-1]
	var lines strings.Builder
	for y := 10; y < 90; y += 16 {
		for x := 10; x < 90; x += 16 {
			if random.IntN(2) == 0 {
				fmt.Fprintf(&lines, "M%d %da8 8 0 0 0 8-8m0 16a8 8 0 0 1 8-8", x, y+8)
			} else {
				fmt.Fprintf(&lines, "M%d %da8 8 0 0 0 8 8m-8-8m8 8", x+8, y)
				fmt.Fprintf(&lines, "M%d %da8 8 0 0 1 8 8", x, y+8)
			}
		}
	}
	return ground(colours[0]) + fmt.Sprintf("<path fill='none' stroke='#%s' stroke-width='%d' d='%s'/>", colours[1], 2+n, &lines)
}

// Print returns the document of a token of [Mondays].
func Print(id uint64) Document {
	switch id {
	case Sunday:
		rays := ground("fff8e1") + disc(50, 50, 22, "f2a65a")
		for i, colours := range prints {
			rays += fmt.Sprintf("<path stroke='#%s' stroke-width='5' d='M50 8v12M50 80v12' transform='rotate(%d 50 50)'/>", colours[1], 36*i)
		}
		return Mondays.token("Sunday", id, rays, Attribute{"Day", "Sunday", 0}, Attribute{"Prints burned", 5, 0})
	case Ink:
		return Mondays.token("Ink, in drops", id, ground("f4efe6")+"<path fill='#1f3c88' d='M50 18c14 22 22 32 22 44a22 22 0 0 1-44 0c0-12 8-22 22-44z'/>",
			Attribute{"Day", "Every day", 0})
	default:
		return Mondays.token(fmt.Sprintf("Monday %d of 5", id), id, monday(id), Attribute{"Day", "Monday", 0}, Attribute{"Week", id, 5},
			Attribute{"Paper", []string{"Cotton", "Kraft", "Rice", "Vellum", "Straw"}[id-1], 0})
	}
}
