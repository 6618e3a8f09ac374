package fastql

import (
	"errors"
	"sort"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// errUnwritten makes gqlgen's execution answer a root field: a value is null where
// the schema forbids it, or cannot be read or written here.
var errUnwritten = errors.New("not written by a plan")

// ErrUnwritten returns the error by which generated code leaves a root field to
// gqlgen's execution.
func ErrUnwritten() error { return errUnwritten }

// anyIndex stands for each index of a list, or for each item.
const anyIndex = -1

// failure is the error of a field below the root.
type failure struct {
	err error
	// object is the type of the object that the field is of.
	object string
	// path leads from the field back to the root.
	path []ast.PathElement
	// item is the failed one of the values that are loaded together; anyIndex for
	// all. Writers know the index, and set none.
	item int
	// batch says that the error is that of each object that the field was
	// resolved for.
	batch bool
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// onWay calls add with the failure of an error. The origin of errUnwritten does not
// matter.
func onWay(err error, add func(f *failure)) error {
	if errors.Is(err, errUnwritten) {
		return errUnwritten
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{err: err}
	}
	add(f)
	return f
}

// onField adds a field of an object to the way back to the root.
func onField(err error, object, alias string) error {
	return onWay(err, func(f *failure) {
		if len(f.path) == 0 {
			f.object = object
		}
		f.path = append(f.path, ast.PathName(alias))
	})
}

// onIndex adds the index of a list.
func onIndex(err error, i int) error {
	return onWay(err, func(f *failure) { f.path = append(f.path, ast.PathIndex(i)) })
}

// onItem sets the failed item's number in another list; place is not called with
// anyIndex.
func onItem(err error, place func(item int) int) error {
	return onWay(err, func(f *failure) {
		if f.item != anyIndex {
			f.item = place(f.item)
		}
	})
}

// inLists adds the index of a list's item. The items were loaded together with
// those of other lists; first has the number of each list's first item.
func inLists(err error, first []int) error {
	return onWay(err, func(f *failure) {
		index := anyIndex
		if f.item != anyIndex {
			list := sort.SearchInts(first, f.item+1) - 1
			index, f.item = f.item-first[list], list
		}
		f.path = append(f.path, ast.PathIndex(index))
	})
}

// batchFailed returns the error of a field for all objects.
func batchFailed(err error) error {
	return onWay(err, func(f *failure) { f.item, f.batch = anyIndex, true })
}

// at reports whether a field of the response failed.
func (f *failure) at(field *graphql.FieldContext) bool {
	path := field.Path()
	if field.Object != f.object || len(path) != len(f.path) {
		return false
	}
	for i, element := range path {
		switch failed := f.path[len(path)-1-i]; {
		case failed == element:
		case failed == ast.PathIndex(anyIndex):
			if _, ok := element.(ast.PathIndex); !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}
