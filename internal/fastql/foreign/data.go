package foreign

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// persons is the number of persons. Person 0 has almost no values.
const persons = 8

func ptr[T any](v T) *T { return &v }

// person returns the n-th person, or nil if there is none.
func person(n int) *Person {
	if n < 0 || n >= persons {
		return nil
	}
	p := &Person{N: n, ID: fmt.Sprint("p", n), Name: fmt.Sprint("Person ", n), Ratio: 1.5 * float64(n), FullBlank: Blank(n), FullNote: Note(strings.Repeat("n", n)),
		Mark: Mark{"m"}, Code: Code(n), Favorite: AllColor[n%3], Rank: Rank(n), Spot: Point{n, -n}, Place: Place{Point{n, n}}}
	if n == 0 {
		p.Ratio = math.NaN()
		return p
	}
	p.Age, p.Height, p.Work = ptr(n*10), ptr(1e21/float64(n)), &Address{Street: "work", Number: ptr(n)}
	p.Home = Address{Street: fmt.Sprint("street ", n)}
	p.Addresses, p.Visited = []Address{p.Home, *p.Work}, []*Address{nil, p.Work}
	p.Tags, p.Marks, p.Grid = []string{"a", "b\tc"}, []*int{ptr(1), nil, ptr(n)}, [][]int{{1, n}, nil, {}}
	p.Born, p.Died, p.Salary, p.Key = Date(n), ptr(Date(100*n)), ptr(Money(n)), ptr(Hex(n))
	p.Secret, p.Secrets = ptr(Secret("secret")), []Secret{"a", "bc"}
	p.Blank, p.Blanks, p.Note = ptr(Blank(n-1)), []Blank{1, Blank(n - 2)}, ptr(Note(strings.Repeat("n", n-1)))
	p.Colors, p.Level, p.Extra = []Color{ColorRed, p.Favorite}, ptr(Level(n%2)), map[string]any{"n": n, "list": []int{n}}
	p.Loud, p.Raw = p.Name, map[string]any{"name": p.Name, "count": n}
	switch n {
	case 5:
		p.Secret, p.Rank, p.Raw["count"] = ptr(Secret("")), 13, "five"
	case 6:
		p.Secrets[1], p.Height, p.Work = "", ptr(math.Inf(1)), nil
	case 7:
		p.Extra, p.Raw, p.Visited = nil, nil, nil
	}
	return p
}

func dog(n int) *Dog {
	return &Dog{N: n, ID: fmt.Sprint("d", n), Name: fmt.Sprint("Dog ", n), Bark: "wow", Color: ptr(AllColor[n%3])}
}

func cat(n int) Cat { return Cat{n} }

func things() []Thing {
	return []Thing{person(1), dog(3), &Stone{Weight: 1e-7, Worth: ptr(2.0), Level: High}, &Stone{Weight: math.Inf(-1)}}
}

// found returns the object with an id, or nil.
func found(id string) Node {
	n, err := strconv.Atoi(strings.TrimLeft(id, "pdc"))
	switch {
	case err != nil || n < 0:
		return nil
	case id[0] == 'd':
		return dog(n)
	case id[0] == 'c':
		return cat(n)
	}
	if p := person(n); p != nil {
		return p
	}
	return nil
}
