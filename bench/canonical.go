package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// whole returns an answer with its fields sorted by name, and one value for all cursors,
// because each contestant has different ones.
func whole(answer []byte) ([]byte, error) {
	var value any
	if err := decode(answer, &value); err != nil {
		return nil, err
	}
	text, err := json.Marshal(value)
	return cursor.ReplaceAll(text, []byte(`"cursor":"…"`)), err
}

var cursor = regexp.MustCompile(`"cursor":"[^"]*"`)

// items returns only the records or the total of each page, for contestants whose
// pages have different fields.
func items(answer []byte) ([]byte, error) {
	var value struct{ Data map[string]map[string]any }
	if err := decode(answer, &value); err != nil {
		return nil, err
	}
	fields := map[string]any{}
	for name, page := range value.Data {
		for _, of := range []string{"data", "nodes", "totalItems", "totalCount"} {
			if item, ok := page[of]; ok {
				fields[name] = item
			}
		}
	}
	return json.Marshal(fields)
}

func decode(answer []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	return nil
}
