package graph

import (
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// programs keeps the programs of operations for as long as the operations
// themselves are kept, by whoever keeps documents: what bounds those bounds
// programs too. A program must hold nothing of its document, or neither would
// ever go. Those of operations that run once are not kept.
type programs struct {
	// byOperation: weak.Pointer[ast.OperationDefinition] → *variants.
	byOperation sync.Map
	// ran has hashes of operations that ran lately: of those that share a
	// place, the last.
	ran [1024]atomic.Uint64
}

var seed = maphash.MakeSeed()

// variants are the programs of one operation, one for each combination of
// values that its Boolean variables had.
type variants struct {
	mu   sync.Mutex // guards list
	list []variant
}

type variant struct {
	// booleans has a bit for each Boolean variable, in the order of their
	// definitions.
	booleans uint64
	// program is nil for what the generated code is to answer.
	program object[request]
}

// maxVariants bounds the programs of an operation, of which a caller can ask
// for 2 to the number of its variables.
const maxVariants = 8

// of returns the program of an operation, or nil if the generated code is to
// answer it.
func (p *programs) of(o *graphql.OperationContext) object[request] {
	booleans, ok := booleansOf(o)
	if !ok || o.Operation.Operation != ast.Query {
		return nil
	}
	all := p.variantsOf(o.Operation)
	if all == nil {
		return compileOperation(o)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, v := range all.list {
		if v.booleans == booleans {
			return v.program
		}
	}
	v := variant{booleans: booleans, program: compileOperation(o)}
	if len(all.list) == maxVariants {
		all.list = all.list[:0]
	}
	all.list = append(all.list, v)
	return v.program
}

// variantsOf returns the place for the programs of an operation; nil for one
// that did not run lately.
func (p *programs) variantsOf(o *ast.OperationDefinition) *variants {
	key := weak.Make(o)
	if known, ok := p.byOperation.Load(key); ok {
		return known.(*variants)
	}
	// One that has another's address by now is kept a run too early.
	hash := maphash.Comparable(seed, o)
	if p.ran[hash%uint64(len(p.ran))].Swap(hash) != hash {
		return nil
	}
	kept, raced := p.byOperation.LoadOrStore(key, &variants{})
	if !raced {
		runtime.AddCleanup(o, func(key weak.Pointer[ast.OperationDefinition]) { p.byOperation.Delete(key) }, key)
	}
	return kept.(*variants)
}

// booleansOf returns the values of the Boolean variables, which is all that
// @skip and @include depend on. It reports false when one has no value, which
// is an error if it is used, or when there are more than 64.
func booleansOf(o *graphql.OperationContext) (bits uint64, ok bool) {
	n := 0
	for _, v := range o.Operation.VariableDefinitions {
		if v.Type.NamedType != "Boolean" {
			continue
		}
		value, ok := o.Variables[v.Variable].(bool)
		if !ok || n == 64 {
			return 0, false
		}
		if value {
			bits |= 1 << n
		}
		n++
	}
	return bits, true
}
