package fastql

import (
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// planCache keeps plans for as long as their documents are kept: whatever bounds
// a server's query cache bounds this cache too. A plan must hold nothing of its
// document, or neither would ever be freed. Operations that run once are not
// cached.
type planCache struct {
	// byOperation: weak.Pointer[ast.OperationDefinition] → *variants.
	byOperation sync.Map
	// seen has hashes of operations seen before: of those that share a slot, the
	// last.
	seen [1024]atomic.Uint64
}

var seed = maphash.MakeSeed()

// variants are the plans of one operation, one for each combination of the
// values of its Boolean variables.
type variants struct {
	mu   sync.Mutex // guards list
	list []variant
}

type variant struct {
	// booleans has a bit for each Boolean variable, in the order of their
	// definitions.
	booleans uint64
	plan     []RootField
}

// maxVariants bounds the plans of an operation: clients can ask for 2 to the
// number of its Boolean variables.
const maxVariants = 8

// plan returns the plan of an operation, or nil to leave it to gqlgen.
func (p *planCache) plan(o *graphql.OperationContext, compile func(*graphql.OperationContext) []RootField) []RootField {
	booleans, ok := booleansOf(o)
	if !ok {
		return nil
	}
	all := p.variantsOf(o.Operation)
	if all == nil {
		return compile(o)
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, v := range all.list {
		if v.booleans == booleans {
			return v.plan
		}
	}
	v := variant{booleans: booleans, plan: compile(o)}
	if len(all.list) == maxVariants {
		all.list = all.list[:0]
	}
	all.list = append(all.list, v)
	return v.plan
}

// variantsOf returns where the plans of an operation are kept; nil for one that
// was not seen before.
func (p *planCache) variantsOf(o *ast.OperationDefinition) *variants {
	key := weak.Make(o)
	if known, ok := p.byOperation.Load(key); ok {
		return known.(*variants)
	}
	// An operation at the address of an earlier one is cached a run too early.
	hash := maphash.Comparable(seed, o)
	if p.seen[hash%uint64(len(p.seen))].Swap(hash) != hash {
		return nil
	}
	cached, raced := p.byOperation.LoadOrStore(key, &variants{})
	if !raced {
		runtime.AddCleanup(o, func(key weak.Pointer[ast.OperationDefinition]) { p.byOperation.Delete(key) }, key)
	}
	return cached.(*variants)
}

// booleansOf returns the values of the Boolean variables: @skip and @include
// depend on nothing else. It reports false when one has no value, which is an
// error if it is used, or when there are more than 64.
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

// size returns how many operations and how many plans are cached.
func (p *planCache) size() (operations, plans int) {
	p.byOperation.Range(func(_, cached any) bool {
		all := cached.(*variants)
		all.mu.Lock()
		defer all.mu.Unlock()
		operations, plans = operations+1, plans+len(all.list)
		return true
	})
	return operations, plans
}
