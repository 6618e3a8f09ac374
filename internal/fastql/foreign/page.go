package foreign

import (
	"context"
	"errors"

	"mintburn/internal/fastql"
)

// PersonConnection is a page. It is read after all root resolvers were called.
type PersonConnection struct {
	first int
	read  bool
	List  []*Person
}

var _ fastql.Reader = (*PersonConnection)(nil)

// Read implements [fastql.Reader].
func (c *PersonConnection) Read(ctx context.Context) error {
	if c == nil {
		return nil
	}
	if err := called(ctx, "Read", c.first); err != nil {
		return err
	}
	if c.read {
		return errors.New("read twice")
	}
	c.read = true
	switch c.first {
	case 13:
		return errors.New("cannot be read")
	case 14:
		panic("cannot be read")
	}
	for i := range c.first {
		c.List = append(c.List, person(i))
	}
	return nil
}

// Edges returns an edge for each person.
func (c *PersonConnection) Edges() []PersonEdge {
	list := make([]PersonEdge, len(c.List))
	for i, p := range c.List {
		list[i] = PersonEdge{"after " + p.ID, p}
	}
	return list
}

// Nodes returns the persons.
func (c *PersonConnection) Nodes() []*Person { return c.List }

// Total has an error on an empty page.
func (c *PersonConnection) Total() (int, error) {
	if len(c.List) == 0 {
		return 0, errors.New("nobody")
	}
	return len(c.List), nil
}

// Broken fails on odd pages.
func (c *PersonConnection) Broken(context.Context) (int, error) {
	if c.first%2 == 1 {
		return 0, errors.New("broken")
	}
	return c.first, nil
}

// Read implements [fastql.Reader], and fails because a badge is not the result of a
// root resolver.
func (b *Badge) Read(context.Context) error { return errors.New("a badge was read") }
