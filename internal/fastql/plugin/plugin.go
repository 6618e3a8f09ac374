package plugin

import (
	_ "embed"
	"go/types"
	"path/filepath"
	"slices"
	"text/template"

	"github.com/99designs/gqlgen/codegen"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/codegen/templates"
	"github.com/99designs/gqlgen/plugin"
	"github.com/vektah/gqlparser/v2/ast"
)

//go:embed fast.gotpl
var source string

// Filename returns the path of the file that the plugin generates, in the folder
// of gqlgen's.
func Filename(cfg *config.Config) string {
	return filepath.Join(filepath.Dir(cfg.Exec.Filename), "fast_gen.go")
}

// Plugin generates the fast schema.
type Plugin struct {
	// Bundles are the arguments that resolvers receive as one struct.
	Bundles []Bundle
}

var _ plugin.CodeGenerator = Plugin{}

// Name implements [plugin.Plugin].
func (Plugin) Name() string { return "fastql" }

// GenerateCode implements [plugin.CodeGenerator]. The plugin must be the first that does, because the
// others also write resolvers' parameters.
func (p Plugin) GenerateCode(data *codegen.Data) error {
	if err := p.bundle(data.Schema); err != nil {
		return err
	}
	g := generator{data}
	if err := g.check(); err != nil {
		return err
	}
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        Filename(data.Config),
		Data:            data,
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		Template:        source,
		Funcs:           template.FuncMap{"compiled": compiled, "objects": objectsOf, "field": field, "rootField": rootField, "elem": elem, "scalars": g.scalars},
		PruneOptions:    data.Config.GetPruneOptions(),
	})
}

// generator checks the bindings of a schema.
type generator struct{ *codegen.Data }

// compiled reports whether selections on an object are compiled.
func compiled(o *codegen.Object) bool { return !o.IsReserved() && !o.Root }

// objectsOf returns the objects of an interface, once each. gqlgen lists an object twice
// if its values may be structs or pointers.
func objectsOf(i *codegen.Interface) (names []string) {
	for _, m := range i.Implementors {
		if m.Kind == ast.Object && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// scalars returns gqlgen's references to the scalars and enums of arguments and
// input object fields, by name, except gqlgen's own scalars.
func (g generator) scalars() map[string]*config.TypeReference {
	found := map[string]*config.TypeReference{}
	add := func(ref *config.TypeReference) {
		for ref.IsSlice() {
			ref = ref.Elem()
		}
		own := ref.IsMarshaler || ref.Unmarshaler != nil && ref.Unmarshaler.Pkg().Path() != gqlgenScalars
		if own && ref.Definition.IsLeafType() {
			found[ref.Definition.Name] = ref
		}
	}
	for _, o := range g.Objects {
		for _, f := range o.Fields {
			for _, a := range f.Args {
				add(a.TypeReference)
			}
		}
	}
	for _, o := range g.Inputs {
		for _, f := range o.Fields {
			add(f.TypeReference)
		}
	}
	return found
}

// elem returns the type that a pointer points to, and any other type unchanged.
func elem(t types.Type) types.Type {
	if pointer, ok := t.(*types.Pointer); ok {
		return pointer.Elem()
	}
	return t
}
