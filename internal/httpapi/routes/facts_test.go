package routes

import (
	"encoding/json"
	"testing"
	"time"

	"mintburn/graph"
	"mintburn/internal/testing/expect"
)

// TestOpenAPI_Facts checks that each fact is one of a parameter, a field or a type that exists, so that
// none is lost when something is renamed.
func TestOpenAPI_Facts(t *testing.T) {
	var document struct {
		Paths map[string]struct {
			Get struct {
				OperationID string
				Parameters  []struct{ Name string }
			}
		}
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	schema := graph.NewSchema(1_000, time.Now).Schema()
	list, err := New(schema)
	expect.NoError(t, err)
	text, err := json.Marshal(list.OpenAPI(schema))
	expect.NoError(t, err)
	expect.NoError(t, json.Unmarshal(text, &document))
	known := map[string]bool{}
	for _, path := range document.Paths {
		for _, p := range path.Get.Parameters {
			known["?"+p.Name], known[path.Get.OperationID+"?"+p.Name] = true, true
		}
	}
	for name, schema := range document.Components.Schemas {
		known[name] = true
		for field := range schema.Properties {
			known["."+field], known[name+"."+field] = true, true
		}
	}
	for key := range facts {
		if !known[key] {
			t.Errorf("nothing is called %s", key)
		}
	}
}
