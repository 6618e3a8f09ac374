package cost

import (
	"hash/maphash"

	"github.com/vektah/gqlparser/v2/ast"

	"mintburn/internal/apierror"
	"mintburn/internal/httpapi/failure"
)

// Limits bound an operation. All must be at least 1.
type Limits struct {
	// Tokens is the maximum number of lexical tokens in a document, including comments. The
	// parser checks it.
	Tokens int
	// Depth is the maximum depth of nested fields. The operation's own fields have depth 1.
	Depth int
	// Aliases is the maximum number of aliased fields in an operation.
	Aliases int
	// RootFields is the maximum number of fields at depth 1.
	RootFields int
	// Cost is the maximum cost of all operations in a request; see docs/limits.md.
	Cost int
	// PageSize is the size of the schema's largest page.
	PageSize int
}

// Bounds without flags, far above any reasonable request.
const (
	// maxFields is the maximum number of fields, fragments and values in a document after each
	// fragment is expanded.
	maxFields = 20_000
	// maxKey is the maximum length of a response key, in bytes.
	maxKey = 128
	// maxRepeats is how often a document may select the same field at the same place, because
	// GraphQL's validation compares these fields pairwise.
	maxRepeats = 50
)

// CheckShape checks the limits of a parsed document before validation, and returns its number
// of fields and values, at most 20,000, or the first excess. Every fragment counts wherever it
// is used, as in execution. Cycles are left to validation.
func (l Limits) CheckShape(query *ast.QueryDocument) (fields int, failed *failure.Error) {
	s := &shape{limits: l, fragments: map[string]*ast.FragmentDefinition{}}
	for _, f := range query.Fragments {
		s.fragments[f.Name] = f
	}
	for _, o := range query.Operations {
		s.begin()
		s.walk(o.SelectionSet, 1, 0)
	}
	// Validation also walks each fragment on its own, used or not.
	for _, f := range query.Fragments {
		s.begin()
		s.walk(f.SelectionSet, 2, 0)
	}
	return s.fields, s.failed
}

// shape measures a document against the limits.
type shape struct {
	limits    Limits
	fragments map[string]*ast.FragmentDefinition
	// fields counts fields, fragments and values of the whole document.
	fields int
	// aliases, rootFields and repeats count within one operation. repeats counts the fields at
	// each place in the answer.
	aliases, rootFields int
	repeats             map[uint64]int
	seed                maphash.Seed
	// open holds the fragments around the current selection.
	open   map[string]bool
	failed *failure.Error
}

// begin resets the counters for the next operation or fragment.
func (s *shape) begin() {
	s.aliases, s.rootFields = 0, 0
	s.repeats, s.open, s.seed = map[uint64]int{}, map[string]bool{}, maphash.MakeSeed()
}

// walk counts selections whose fields are at a depth. place identifies their place in the
// answer.
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
		s.fail(field.Position, "the operation has more than %d root fields", s.limits.RootFields)
	case s.repeats[place] > maxRepeats:
		s.fail(field.Position, "the document selects the same field at the same place more than %d times", maxRepeats)
	default:
		s.walk(field.SelectionSet, depth+1, place)
	}
}

// size returns the number of values in a selection: itself, its directives, and the arguments
// of both.
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
		n += 1 + nested(a.Value)
	}
	return n
}

// nested returns the number of values in a list or an object, at all levels.
func nested(value *ast.Value) int {
	n := len(value.Children)
	for _, child := range value.Children {
		n += nested(child.Value)
	}
	return n
}

// step identifies a member by its name and the place of its parent.
type step struct {
	place uint64
	name  string
}

func (s *shape) fail(at *ast.Position, format string, args ...any) {
	s.failed = failure.New(apierror.QueryTooCostly, format, args...).At(at)
}
