package foreign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Named is the Go type of the interface Named.
type Named interface{ IsNamed() }

// Person is one of 8 persons. Its number N decides which fields fail.
type Person struct {
	N  int
	ID string
}

// person returns the n-th person, or nil if there is none.
func person(n int) *Person {
	if n < 0 || n >= 8 {
		return nil
	}
	return &Person{n, fmt.Sprint("p", n)}
}

// IsNamed marks a Named.
func (*Person) IsNamed() {}

// Boss fails for persons 2 and 3, and panics for person 5.
func (p *Person) Boss(ctx context.Context) (*Person, error) {
	err := called(ctx, "Person.boss", p.ID)
	switch p.N {
	case 2, 3:
		return person(0), cmp.Or(err, fmt.Errorf("%s has a bad boss", p.ID))
	case 5:
		panic("person 5")
	}
	return person(p.N - 1), err
}

// Friends contains null for persons 6 and 7.
func (p *Person) Friends() []*Person { return []*Person{person(1), person(p.N + 2)} }

// Cat is bound by value.
type Cat struct{ N int }

// IsNamed marks a Named.
func (Cat) IsNamed() {}

// ID fails for cat 2.
func (c Cat) ID(ctx context.Context) (string, error) {
	if c.N == 2 {
		return "", errors.Join(called(ctx, "Cat.id", c.N), errors.New("a shy cat"))
	}
	return fmt.Sprint("c", c.N), nil
}

// Read implements [fastql.Reader], and fails because a cat is not the result of a root
// resolver.
func (Cat) Read(context.Context) error { return errors.New("a cat was read") }

// Page is read after all root resolvers were called.
type Page struct {
	first int
	Nodes []*Person
}

// Read implements [fastql.Reader]. It fails for 13, and panics for 14. The last of 9
// persons is null.
func (p *Page) Read(ctx context.Context) error {
	if err := called(ctx, "Read", p.first); err != nil {
		return err
	}
	switch {
	case p.first == 13, p.Nodes != nil:
		return errors.New("cannot be read")
	case p.first == 14:
		panic("cannot be read")
	}
	for i := range p.first {
		p.Nodes = append(p.Nodes, person(i))
	}
	return nil
}
