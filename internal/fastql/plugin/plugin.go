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
type Plugin struct{}

var _ plugin.CodeGenerator = Plugin{}

// Name implements [plugin.Plugin].
func (Plugin) Name() string { return "fastql" }

// GenerateCode implements [plugin.CodeGenerator].
func (Plugin) GenerateCode(data *codegen.Data) error {
	g := generator{data}
	return templates.Render(templates.Options{
		PackageName:     data.Config.Exec.Package,
		Filename:        Filename(data.Config),
		Data:            data,
		GeneratedHeader: true,
		Packages:        data.Config.Packages,
		Template:        source,
		Funcs:           template.FuncMap{"compiled": g.compiled, "objects": g.objects, "field": g.field, "rootField": g.rootField, "elem": elem, "scalars": g.scalars},
		PruneOptions:    data.Config.GetPruneOptions(),
	})
}

// generator writes the code of fields.
type generator struct{ *codegen.Data }

// compiled reports whether selections on an object are compiled. They are unless the
// object is a root or one of gqlgen's own, or its Go type can be nil.
func (generator) compiled(o *codegen.Object) bool {
	return o != nil && !o.IsReserved() && !o.Root && !config.IsNilable(o.Type)
}

// objects returns the names of the objects of an interface or a union, or nil if
// selections on one of them are not compiled.
func (g generator) objects(i *codegen.Interface) []string {
	if i == nil || !types.IsInterface(i.Type) {
		return nil
	}
	var names []string
	for _, m := range i.Implementors {
		switch {
		case m.Kind != ast.Object || slices.Contains(names, m.Name):
		case !g.compiled(g.Objects.ByName(m.Name)):
			return nil
		default:
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
