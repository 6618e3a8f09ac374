package fastql

import (
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Compiler compiles one operation, for one set of values of the variables in @skip
// and @include.
type Compiler struct {
	operation *graphql.OperationContext
	// unknown reports that only gqlgen can answer the root field.
	unknown bool
	// fields counts the fields that were compiled.
	fields int
}

// maxFields bounds the fields of a plan. Without it the plan of a short document could
// fill the memory, because a selection on an interface is compiled for each of its
// objects, and a fragment for each use.
const maxFields = 4096

// Compile compiles a selection set on an object type. implements is gqlgen's list of
// the type's names, its own first. gqlgen selects the fields, orders them, and merges
// the selections below fields that occur twice. field returns the writer of a field.
func Compile[T any](c *Compiler, selections ast.SelectionSet, implements []string, field func(graphql.CollectedField) FieldWriter[T]) Selection[T] {
	if c.fields > maxFields {
		c.unknown = true
		return Selection[T]{}
	}
	collected := graphql.CollectFields(c.operation, selections, implements)
	c.fields += len(collected)
	s := Selection[T]{object: implements[0], fields: make([]FieldWriter[T], 0, len(collected))}
	for i, f := range collected {
		if twice(collected, i) {
			// Only gqlgen answers the selections below the second field.
			c.unknown = c.unknown || len(f.Selections) > 0
			continue
		}
		var w FieldWriter[T]
		if f.Name == "__typename" {
			name := implements[0]
			w.Append = func(b []byte, _ *T) []byte { return AppendName(b, name) }
		} else {
			w = field(f)
		}
		s.batched = s.batched || w.Batch != nil
		w.alias, w.key = f.Alias, responseKey(f.Alias, len(s.fields))
		s.fields = append(s.fields, w)
	}
	return s
}

// CompileRoot compiles the selection set of a query. Only root fields that a plan
// cannot answer are left to gqlgen.
func CompileRoot(c *Compiler, selections ast.SelectionSet, implements []string, field func(graphql.CollectedField) RootField) []RootField {
	collected := graphql.CollectFields(c.operation, selections, implements)
	plan := make([]RootField, len(collected))
	for i, f := range collected {
		if twice(collected, i) {
			return nil
		}
		root := &plan[i]
		c.unknown = false
		if f.Name == "__typename" {
			root.constant = string(AppendName(nil, implements[0]))
		} else if *root = field(f); c.unknown {
			root.resolve = nil
		}
		root.alias, root.key = f.Alias, responseKey(f.Alias, i)
		root.field, root.merged = f.Field, len(f.Selections) != len(f.SelectionSet)
	}
	return plan
}

// twice reports whether the response key of the i-th field occurs before it. gqlgen
// collects a key twice for fields of interfaces that do not implement each other;
// it resolves both fields and writes the first.
func twice(collected []graphql.CollectedField, i int) bool {
	return slices.ContainsFunc(collected[:i], func(f graphql.CollectedField) bool { return f.Alias == collected[i].Alias })
}

// responseKey returns the text before the value of an object's i-th field.
func responseKey(alias string, i int) string {
	key := `"` + alias + `":`
	if i > 0 {
		key = "," + key
	}
	return key
}

// Arguments returns the arguments of a field in the order of its definition.
func (c *Compiler) Arguments(f graphql.CollectedField) []Argument {
	list := make([]Argument, len(f.Definition.Arguments))
	for i, d := range f.Definition.Arguments {
		a, value := &list[i], d.DefaultValue
		if given := f.Arguments.ForName(d.Name); given != nil {
			if given.Value.Kind == ast.Variable {
				a.variable = given.Value.Raw
			} else {
				value = given.Value
			}
		}
		if value != nil {
			a.value = c.value(value)
		}
	}
	return list
}

// Argument is an argument of a field as written in the document.
type Argument struct {
	// variable is the name of the variable if the argument is one.
	variable string
	// value is used if there is no variable or it has no value; nil if absent.
	value *value
}

// Value returns the value of an argument, in the form that gqlgen's generated code
// reads, or false if the argument has no value.
func (a *Argument) Value(variables map[string]any) (any, bool) {
	if a.variable != "" {
		if v, ok := variables[a.variable]; ok {
			return v, true
		}
	}
	if a.value == nil {
		return nil, false
	}
	return a.value.in(variables), true
}

// value is a compiled literal, which may contain variables. At most one field is set.
// Lists and objects are made anew for each use, because a resolver may change them.
type value struct {
	// constant is the value of a scalar or enum.
	constant any
	// variable is the name of a variable.
	variable string
	// list and object hold the parts.
	list   []*value
	object map[string]*value
}

// in returns the value with the variables filled in.
func (v *value) in(variables map[string]any) any {
	switch {
	case v.variable != "":
		return variables[v.variable]
	case v.list != nil:
		var list []any
		for _, part := range v.list {
			list = append(list, part.in(variables))
		}
		return list
	case v.object != nil:
		object := make(map[string]any, len(v.object))
		for name, part := range v.object {
			// If a variable has no value, its input object field is left out.
			if _, ok := variables[part.variable]; ok || part.variable == "" {
				object[name] = part.in(variables)
			}
		}
		return object
	default:
		return v.constant
	}
}

// value compiles a literal. If it cannot be read, the root field is left to gqlgen,
// which reports the error.
func (c *Compiler) value(literal *ast.Value) *value {
	switch literal.Kind {
	case ast.Variable:
		return &value{variable: literal.Raw}
	case ast.ListValue:
		list := make([]*value, len(literal.Children))
		for i, part := range literal.Children {
			list[i] = c.value(part.Value)
		}
		return &value{list: list}
	case ast.ObjectValue:
		object := make(map[string]*value, len(literal.Children))
		for _, part := range literal.Children {
			object[part.Name] = c.value(part.Value)
		}
		return &value{object: object}
	default:
		constant, err := literal.Value(nil)
		c.unknown = c.unknown || err != nil
		return &value{constant: constant}
	}
}

// Plans holds the plans of one document, and lives as long as it: one plan for each
// operation and combination of the values of its Boolean variables. The zero value is
// empty. It is safe for concurrent use.
type Plans struct {
	mu   sync.Mutex // guards list
	list []variant
}

type variant struct {
	operation *ast.OperationDefinition
	// booleans holds a bit for each Boolean variable, in the order of their
	// definitions.
	booleans uint64
	plan     []RootField
}

// maxVariants bounds the plans of a document to so many for each of its operations.
// With n Boolean variables, clients could cause 2^n of them.
const maxVariants = 8

// plan returns the plan of an operation, from p or from compile, or nil to leave the
// operation to gqlgen.
func (p *Plans) plan(o *graphql.OperationContext, compile func(*Compiler, ast.SelectionSet) []RootField) []RootField {
	booleans, ok := booleansOf(o)
	if !ok {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.list {
		if v := &p.list[i]; v.operation == o.Operation && v.booleans == booleans {
			return v.plan
		}
	}
	v := variant{operation: o.Operation, booleans: booleans, plan: compile(&Compiler{operation: o}, o.Operation.SelectionSet)}
	if len(p.list) == maxVariants*len(o.Doc.Operations) {
		p.list = p.list[:0]
	}
	p.list = append(p.list, v)
	return v.plan
}

// booleansOf returns the values of the Boolean variables, on which alone @skip and
// @include depend. It reports false if there are more than 64, or if a variable that
// @skip or @include may use has no value, because using it is an error.
func booleansOf(o *graphql.OperationContext) (bits uint64, ok bool) {
	n := 0
	for _, v := range o.Operation.VariableDefinitions {
		if v.Type.NamedType != "Boolean" {
			continue
		}
		value, ok := o.Variables[v.Variable].(bool)
		// @skip and @include cannot use a nullable variable without a default.
		// GraphQL specification, section 5.8.5.
		canBeUsed := v.Type.NonNull || v.DefaultValue != nil
		if n == 64 || !ok && canBeUsed {
			return 0, false
		}
		if value {
			bits |= 1 << n
		}
		n++
	}
	return bits, true
}

// EachField calls visit with the fields of a selection set and of its fragments, in
// their order. It leaves out fields that @skip or @include exclude for these variables.
func EachField(set ast.SelectionSet, variables map[string]any, visit func(*ast.Field)) {
	for _, s := range set {
		below, directives := parts(s)
		if skipped(directives, variables) {
			continue
		}
		if field, ok := s.(*ast.Field); ok {
			visit(field)
		} else {
			EachField(below, variables, visit)
		}
	}
}

// AnySelection reports whether test is true for a selection, at any depth, and its
// directives.
func AnySelection(set ast.SelectionSet, test func(ast.Selection, ast.DirectiveList) bool) bool {
	for _, s := range set {
		below, directives := parts(s)
		if test(s, directives) || AnySelection(below, test) {
			return true
		}
	}
	return false
}

// parts returns the selection set below a selection, and its directives.
func parts(s ast.Selection) (ast.SelectionSet, ast.DirectiveList) {
	switch s := s.(type) {
	case *ast.Field:
		return s.SelectionSet, s.Directives
	case *ast.InlineFragment:
		return s.SelectionSet, s.Directives
	case *ast.FragmentSpread:
		return s.Definition.SelectionSet, s.Directives
	default:
		return nil, nil
	}
}

// skipped reports whether @skip or @include excludes a selection.
func skipped(directives ast.DirectiveList, variables map[string]any) bool {
	for _, d := range directives {
		if d.Name == "skip" || d.Name == "include" {
			if argument := d.Arguments.ForName("if"); argument != nil {
				// The only error is a number out of range, which is no Boolean.
				if value, _ := argument.Value.Value(variables); value == (d.Name == "skip") {
					return true
				}
			}
		}
	}
	return false
}
