package fastql

import (
	"errors"
	"sort"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// errUnwritten leaves a root field to gqlgen's execution, because a value is null
// where the schema forbids it, or cannot be read or written here.
var errUnwritten = errors.New("not written by a plan")

// ErrUnwritten returns the error with which generated code leaves a root field to
// gqlgen's execution.
func ErrUnwritten() error { return errUnwritten }

// anyIndex stands for every index of a list, or for every item.
const anyIndex = -1

// failure describes a field below the root that failed.
type failure struct {
	err error
	// object is the name of the object type that the field belongs to.
	object string
	// outcomes holds one outcome for each object that the field failed for, or for
	// each object of a batch.
	outcomes []outcome
	// batch reports that the field was resolved for many objects at once.
	batch bool
}

// outcome is the result of the field for one object.
type outcome struct {
	value any
	err   error
	// path leads from the field back to the root.
	path []ast.PathElement
	// item is the number of the value among those that are loaded together, or anyIndex
	// for all. Writers leave it 0, because they add the index of a list themselves.
	item int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// onWay calls add with each outcome of an error's failure, which it creates if there
// is none. It returns errUnwritten as it is, because its origin does not matter.
func onWay(err error, add func(f *failure, o *outcome)) error {
	if errors.Is(err, errUnwritten) {
		return errUnwritten
	}
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{err: err, outcomes: []outcome{{err: err}}}
	}
	for i := range f.outcomes {
		add(f, &f.outcomes[i])
	}
	return f
}

// onField adds a field of an object to the path back to the root.
func onField(err error, object, alias string) error {
	return onWay(err, func(f *failure, o *outcome) {
		if len(o.path) == 0 {
			f.object = object
		}
		o.path = append(o.path, ast.PathName(alias))
	})
}

// onIndex adds a list index to the path back to the root.
func onIndex(err error, i int) error {
	return onWay(err, func(_ *failure, o *outcome) { o.path = append(o.path, ast.PathIndex(i)) })
}

// onItem replaces the item's number by its number in another list, which place
// returns. place is not called with anyIndex.
func onItem(err error, place func(item int) int) error {
	return onWay(err, func(_ *failure, o *outcome) {
		if o.item != anyIndex {
			o.item = place(o.item)
		}
	})
}

// inLists adds the index of an item in its list, and sets the item to the list's
// number. The items of all lists were loaded together; first holds the number of
// each list's first item.
func inLists(err error, first []int) error {
	return onWay(err, func(_ *failure, o *outcome) {
		index := anyIndex
		if o.item != anyIndex {
			list := sort.SearchInts(first, o.item+1) - 1
			index, o.item = o.item-first[list], list
		}
		o.path = append(o.path, ast.PathIndex(index))
	})
}

// batchFailed returns the error of a batch field that failed for all objects.
func batchFailed(err error) error {
	return onWay(err, func(f *failure, o *outcome) { o.item, f.batch = anyIndex, true })
}

// batchFailedForSome returns the error of a batch field that failed for some objects,
// with the values of the others.
func batchFailedForSome[V any](err error, errs []error, values []V) error {
	f := &failure{err: err, batch: true, outcomes: make([]outcome, len(values))}
	for i := range values {
		f.outcomes[i] = outcome{value: values[i], err: errs[i], item: i}
	}
	return f
}

// of returns the recorded outcome of a field of the response, or nil.
func (f *failure) of(field *graphql.FieldContext) *outcome {
	if field.Object != f.object {
		return nil
	}
	path := field.Path()
	for i := range f.outcomes {
		if f.outcomes[i].at(path) {
			return &f.outcomes[i]
		}
	}
	return nil
}

// at reports whether the outcome belongs to this path of the response.
func (o *outcome) at(path ast.Path) bool {
	if len(path) != len(o.path) {
		return false
	}
	for i, element := range path {
		// The element is an index too, because all fields with one path are lists or none is.
		if known := o.path[len(path)-1-i]; known != element && known != ast.PathIndex(anyIndex) {
			return false
		}
	}
	return true
}
