package foreign_test

import (
	"math/rand/v2"
	"testing"

	"mintburn/internal/expect"
	"mintburn/internal/fastql/fasttest"
	"mintburn/internal/fastql/foreign"
)

// values are texts for arguments. Some make resolvers fail.
var values = map[string][]string{
	"ID":            {`"p1"`, `"p2"`, `"p3"`, `"p4"`, `"p6"`, `"p7"`, `"d1"`, `"c1"`},
	"person.id":     {`"p0"`, `"p1"`, `"p2"`, `"p3"`, `"p4"`, `"p5"`, `"p6"`, `"p7"`, `"p99"`, `"error"`, `"coded"`, `"panic"`, `"warned"`, `"refused"`, `"fields"`},
	"owner.id":      {`"p0"`, `"p1"`, `"p2"`, `"p3"`, `"p4"`, `"p6"`, `"p7"`, `"p99"`, `"error"`, `"panic"`, `"warned"`, `"refused"`},
	"node.id":       {`"p1"`, `"p2"`, `"d1"`, `"c1"`, `"error"`, `"nil"`, `"x"`},
	"named.id":      {`"p1"`, `"p2"`, `"d1"`, `"c1"`, `"nil"`},
	"animals.ids":   {`"d1"`, `"d2"`, `"d3"`, `"c1"`, `"c2"`},
	"page.first":    {"0", "2", "4", "4", "13", "14"},
	"book.first":    {"0", "1", "2", "13"},
	"friends.first": {"0", "1", "2", "3"},
	"friends.skip":  {"0", "1", "2", "-1"},
	"short.by":      {"0", "0", "1"},
	"limited.first": {"0", "2", "4"},
	"Filter.name":   {`"a"`, `"b\n"`, `""`},
	"Int":           {"0", "1", "2", "200"},
	"Float":         {"1", "0.1", "1e21", "-2.5e-9"},
	"String":        {`"x"`, `"\"é\""`, `""`},
	"Date":          {"1", "20"},
	"JSON":          {`{}`, "`{name: \"x\", list: [1, {a: null}], born: 3}`"},
	"mapped.filter": {`{}`, "`{name: \"x\", color: RED, factors: {by: 3}, also: [{limits: [[1]]}]}`", "`{born: 9999}`"},
	"greet.times":   {"1", "2"},
	"weight.unit":   {`"kg"`, `"lb"`},
	// These are literals only: the resolver changes its argument, and both schemas
	// would share the map of a variable.
	"spoiled.extra": {"`{n: 2, list: [2]}`", "`{list: []}`"},
	"badge.style":   {`"fine "`, `""`},
	"Query.extra":   {`{}`},
	"echo.numbers":  {"1", "2", "3"},
	"Filter.limits": {"1", "2"},
	"Factor.plus":   {"1", "100", "101"},
}

var wrong = map[string][]string{
	"Date": {"9999", "666", `"x"`},
	"Int":  {"9999999999999999999"},
}

// left lists the fields that plans leave to gqlgen: some always, Named.id if Node.id
// is selected too, and Person.each if any object fails.
var left = []string{"Named.id", "Person.nick", "Person.loud", "Person.raw", "Person.gadget", "Person.level", "Person.each", "Stone.level",
	"Query.limited", "Query.hidden", "Query.raw", "Query.gadget", "Query.level", "Query.self",
	"Raw.name", "Raw.count", "Raw.missing", "Gadget.name", "Gadget.weight"}

// TestRandom_EqualsGenerated compares random operations. MINTBURN_SEED repeats the
// operations of a seed, and MINTBURN_STEPS is their number.
func TestRandom_EqualsGenerated(t *testing.T) {
	seed := expect.Variable(t, "MINTBURN_SEED", 1)
	t.Logf("to repeat: MINTBURN_SEED=%d", seed)
	for name, without := range map[string][]string{"all fields": nil, "plans": left} {
		t.Run(name, func(t *testing.T) {
			schema := foreign.NewSchema()
			fasttest.Comparison{
				Fast: schema, Written: fasttest.NewAsker(schema), Generated: fasttest.NewAsker(foreign.NewGenerated()),
				Generator: &fasttest.Generator{Rand: rand.New(rand.NewPCG(seed, 0)), Schema: schema.Schema(), Values: values, Wrong: wrong, Without: without},
				AllFast:   without != nil, Steps: 6000,
			}.Run(t)
		})
	}
}
