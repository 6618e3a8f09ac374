package httpapi

import (
	"hash/maphash"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/nft"
)

// checkShape checks the limits of a parsed document before it is validated, and
// returns how many fields and values it has. Every fragment counts where it is
// used, as the executor sees it; cycles are left to validation.
func (l Limits) checkShape(query *ast.QueryDocument) (fields int, failed *requestError) {
	s := &shape{limits: l, fragments: map[string]*ast.FragmentDefinition{}}
	for _, f := range query.Fragments {
		s.fragments[f.Name] = f
	}
	for _, o := range query.Operations {
		s.begin()
		s.walk(o.SelectionSet, 1, 0)
	}
	// Validation walks each fragment for itself too, used or not.
	for _, f := range query.Fragments {
		s.begin()
		s.walk(f.SelectionSet, 2, 0)
	}
	return s.fields, s.failed
}

// shape measures a document.
type shape struct {
	limits    Limits
	fragments map[string]*ast.FragmentDefinition
	// fields counts fields, fragments and values of the whole document.
	fields int
	// aliases, rootFields and repeats are of one operation; repeats counts the
	// fields at each place in the answer.
	aliases, rootFields int
	repeats             map[uint64]int
	seed                maphash.Seed
	// open has the fragments around the current selection.
	open   map[string]bool
	failed *requestError
}

// begin begins with an operation or a fragment.
func (s *shape) begin() {
	s.aliases, s.rootFields = 0, 0
	s.repeats, s.open, s.seed = map[uint64]int{}, map[string]bool{}, maphash.MakeSeed()
}

// walk counts selections whose fields are at a depth; place identifies their place
// in the answer.
func (s *shape) walk(selections ast.SelectionSet, depth int, place uint64) {
	for _, selection := range selections {
		if s.failed != nil {
			return
		}
		if s.fields += size(selection); s.fields > maxFields {
			s.fail(selection.GetPosition(), "the document has more than %d fields, fragments and values, each counted where it is used", maxFields)
			return
		}
		switch selection := selection.(type) {
		case *ast.Field:
			s.field(selection, depth, place)
		case *ast.InlineFragment:
			s.walk(selection.SelectionSet, depth, place)
		case *ast.FragmentSpread:
			f := s.fragments[selection.Name]
			if f == nil || s.open[f.Name] {
				continue
			}
			s.open[f.Name] = true
			s.walk(f.SelectionSet, depth, place)
			delete(s.open, f.Name)
		}
	}
}

// field counts a field and its selections.
func (s *shape) field(field *ast.Field, depth int, place uint64) {
	place = maphash.Comparable(s.seed, step{place, field.Alias})
	s.repeats[place]++
	if field.Alias != field.Name {
		s.aliases++
	}
	if depth == 1 {
		s.rootFields++
	}
	switch {
	case len(field.Alias) > maxKey:
		s.fail(field.Position, "a response key has more than %d bytes", maxKey)
	case depth > s.limits.Depth:
		s.fail(field.Position, "fields nest deeper than %d levels", s.limits.Depth)
	case s.aliases > s.limits.Aliases:
		s.fail(field.Position, "the operation has more than %d aliases", s.limits.Aliases)
	case s.rootFields > s.limits.RootFields:
		s.fail(field.Position, "the operation has more than %d fields at its top", s.limits.RootFields)
	case s.repeats[place] > maxRepeats:
		s.fail(field.Position, "the document selects a field at one place more than %d times", maxRepeats)
	default:
		s.walk(field.SelectionSet, depth+1, place)
	}
}

// size counts a selection, its directives, and the arguments of both.
func size(selection ast.Selection) int {
	n := 1
	var directives ast.DirectiveList
	switch s := selection.(type) {
	case *ast.Field:
		directives = s.Directives
		n += sizeOf(s.Arguments)
	case *ast.InlineFragment:
		directives = s.Directives
	case *ast.FragmentSpread:
		directives = s.Directives
	}
	for _, d := range directives {
		n += 1 + sizeOf(d.Arguments)
	}
	return n
}

func sizeOf(arguments ast.ArgumentList) int {
	n := 0
	for _, a := range arguments {
		n += 1 + within(a.Value)
	}
	return n
}

// within counts the values in a list or an object.
func within(value *ast.Value) int {
	n := len(value.Children)
	for _, child := range value.Children {
		n += within(child.Value)
	}
	return n
}

// step leads from a place in the answer to one of its members.
type step struct {
	place uint64
	name  string
}

func (s *shape) fail(at *ast.Position, format string, args ...any) {
	s.failed = failf(nft.QueryTooCostly, format, args...).at(at)
}
