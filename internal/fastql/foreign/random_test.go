package foreign_test

import (
	"math/rand/v2"
	"testing"

	"mintburn/internal/fastql/foreign"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/fasttest"
)

// values are texts for arguments. Some make resolvers fail.
var values = map[string][]string{
	"ID":          {`"p0"`, `"p1"`, `"p3"`, `"p4"`, `"p7"`, `"p2"`, `"p5"`, `"p6"`, `"p99"`, `"error"`, `"coded"`, `"panic"`, `"warned"`, `"refused"`, `"fields"`},
	"named.first": {"0", "2", "3", "4", "5", "6"},
	"page.first":  {"0", "1", "2", "4", "9", "13", "14"},
	"twin.fail":   {`"all"`, `"odd"`, `"few"`},
	"String":      {`"x"`, `"\"é\""`, `""`},
}

var wrong = map[string][]string{"Int": {"9999999999999999999", "-1"}}

// TestRandom_EqualsGenerated compares random operations. MINTBURN_SEED repeats the
// operations of a seed, and MINTBURN_STEPS is their number.
func TestRandom_EqualsGenerated(t *testing.T) {
	seed := expect.Variable(t, "MINTBURN_SEED", 1)
	t.Logf("to repeat: MINTBURN_SEED=%d", seed)
	schema := foreign.NewSchema()
	fasttest.Comparison{
		Fast: schema, Written: fasttest.NewAsker(schema), Generated: fasttest.NewAsker(foreign.NewGenerated()),
		Generator: &fasttest.Generator{Rand: rand.New(rand.NewPCG(seed, 0)), Schema: schema.Schema(), Depth: 3, Values: values, Wrong: wrong},
		Steps:     6000,
	}.Run(t)
}
