package foreign

import (
	"context"
	"fmt"
	"strings"
)

// Person has fields that are bound to variables and to methods.
type Person struct {
	// N is the person's number; it decides which fields fail.
	N         int
	ID, Name  string
	Age       *int
	Height    *float64
	Ratio     float64
	Home      Address
	Work      *Address
	Addresses []Address
	Visited   []*Address
	Tags      []string
	Marks     []*int
	Grid      [][]int
	Born      Date
	Died      *Date
	Salary    *Money
	Spot      Point
	Place     Place
	Key       *Hex
	Secret    *Secret
	Secrets   []Secret
	Rank      Rank
	Blank     *Blank
	FullBlank Blank
	Blanks    []Blank
	Note      *Note
	FullNote  Note
	Mark      Mark
	Code      Code
	Favorite  Color
	Colors    []Color
	Level     *Level
	Extra     map[string]any
	Loud      string
	Raw       map[string]any
}

// IsNode marks a Node.
func (*Person) IsNode() {}

// IsNamed marks a Named.
func (*Person) IsNamed() {}

// IsThing marks a Thing.
func (*Person) IsThing() {}

// Nick returns a nickname if there is one.
func (p *Person) Nick() (string, bool) { return "nick of " + p.Name, p.N%2 == 0 }

// Old is deprecated in the schema.
func (p *Person) Old() *int { return p.Age }

// Mood has neither a context nor an error.
func (p *Person) Mood() string { return strings.Repeat("☺", p.N%3) + "\"\\\n" }

// Boss has a context and an error.
func (p *Person) Boss(ctx context.Context) (*Person, error) {
	if err := called(ctx, "Person.boss", p.ID); err != nil {
		return nil, err
	}
	if p.N == 4 {
		return nil, fmt.Errorf("%s has a bad boss", p.ID)
	}
	return person(p.N - 1), nil
}

// Circles has an error, and returns lists of lists.
func (p *Person) Circles() ([][]*Person, error) {
	switch p.N {
	case 0:
		return nil, nil
	case 3:
		return [][]*Person{{person(1), nil}, {}, nil}, nil
	default:
		return [][]*Person{{person(1)}, nil, {person(2), p}}, nil
	}
}

// Greet takes only some of the schema's arguments, in another order.
func (p *Person) Greet(times *int, greeting string) string {
	if times != nil {
		greeting += fmt.Sprint(*times)
	}
	return greeting + " " + p.Name
}

// Pets returns animals, some bound by value.
func (p *Person) Pets() []Animal {
	switch p.N {
	case 0:
		return nil
	case 4:
		return []Animal{dog(1), nil}
	default:
		return []Animal{dog(p.N), cat(p.N), dog(p.N + 1), cat(p.N + 1)}
	}
}

// Pet returns a nil pointer in an interface for some persons.
func (p *Person) Pet(context.Context) Animal {
	switch p.N {
	case 1:
		return (*Dog)(nil)
	case 2:
		return nil
	default:
		return Cat{N: p.N}
	}
}

// Thing returns an object of a union.
func (p *Person) Thing() (Thing, error) {
	if p.N == 5 {
		return nil, fmt.Errorf("%s has no thing", p.ID)
	}
	return things()[p.N%len(things())], nil
}

// Things returns a list with null items.
func (p *Person) Things() []Thing { return append(things(), nil, (*Dog)(nil)) }

// Gadget returns an object that is bound to an interface.
func (p *Person) Gadget() Gadget {
	if p.N == 0 {
		return nil
	}
	return gadget(p.N)
}

// Panics panics for person 3.
func (p *Person) Panics() *int {
	if p.N == 3 {
		panic("person 3")
	}
	return p.Age
}

// Address is bound by value.
type Address struct {
	Street string
	Number *int
}

// Dog is bound by pointer.
type Dog struct {
	N              int
	ID, Name, Bark string
	Color          *Color
}

// IsNode marks a Node.
func (*Dog) IsNode() {}

// IsNamed marks a Named.
func (*Dog) IsNamed() {}

// IsAnimal marks an Animal.
func (*Dog) IsAnimal() {}

// IsThing marks a Thing.
func (*Dog) IsThing() {}

// Sound fails for some dogs.
func (d *Dog) Sound(ctx context.Context) (*string, error) {
	if err := called(ctx, "Dog.sound", d.ID); err != nil {
		return nil, err
	}
	if d.N == 2 {
		return nil, fmt.Errorf("%s is hoarse", d.ID)
	}
	return &d.Bark, nil
}

// Cat is bound by value.
type Cat struct{ N int }

// IsNode marks a Node.
func (Cat) IsNode() {}

// IsNamed marks a Named.
func (Cat) IsNamed() {}

// IsAnimal marks an Animal.
func (Cat) IsAnimal() {}

// ID returns the id.
func (c Cat) ID() string { return fmt.Sprint("c", c.N) }

// Name returns the name.
func (c Cat) Name() string { return fmt.Sprint("Cat ", c.N) }

// Sound returns nothing.
func (c Cat) Sound() *string { return nil }

// Tag is a plain method for cats, and a batch field for dogs.
func (c Cat) Tag() *string {
	tag := fmt.Sprint("tag ", c.N)
	return &tag
}

// Lives returns 9.
func (Cat) Lives() int { return 9 }

// Node is the Go type of the interface Node.
type Node interface{ IsNode() }

// Animal is the Go type of the interface Animal.
type Animal interface {
	Node
	IsAnimal()
}

// Named is the Go type of the interface Named.
type Named interface{ IsNamed() }

// Thing is the Go type of the union Thing.
type Thing interface{ IsThing() }

// Gadget is the Go type of an object, bound to an interface.
type Gadget interface {
	Name() string
	Weight(unit *string) (*string, error)
}

type gadget int

func (g gadget) Name() string { return fmt.Sprint("gadget ", int(g)) }

func (g gadget) Weight(unit *string) (*string, error) {
	if g == 2 || unit == nil {
		return nil, fmt.Errorf("gadget %d has no weight", g)
	}
	weight := fmt.Sprint(int(g), *unit)
	return &weight, nil
}

// PersonEdge is bound by value.
type PersonEdge struct {
	Cursor string
	Node   *Person
}
