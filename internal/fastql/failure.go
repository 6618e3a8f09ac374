package fastql

import (
	"errors"

	"github.com/vektah/gqlparser/v2/ast"
)

// errUnwritten makes gqlgen's execution answer a root field: something is null
// that must not be, or cannot be read or written here.
var errUnwritten = errors.New("not written by a plan")

// ErrUnwritten returns the error by which generated code leaves a root field to
// gqlgen's execution.
func ErrUnwritten() error { return errUnwritten }

// anyIndex stands for each index of a list.
const anyIndex = -1

// failure is the error of a field below the root.
type failure struct {
	// path leads from the field back to the root.
	path []ast.PathElement
	err  error
	// batch says that the error is that of each object that the field was
	// resolved for.
	batch bool
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// onPath adds the next element of the way back to the root.
func onPath(err error, element ast.PathElement) error {
	f, ok := err.(*failure)
	if !ok {
		f = &failure{err: err}
	}
	f.path = append(f.path, element)
	return f
}

func onIndex(err error, i int) error { return onPath(err, ast.PathIndex(i)) }

func batchFailed(err error) error { return &failure{err: err, batch: true} }

// at reports whether a path of the response leads to the field that failed.
func (f *failure) at(path ast.Path) bool {
	if len(path) != len(f.path) {
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
