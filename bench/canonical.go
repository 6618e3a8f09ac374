package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
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

// items returns an answer with only the items or the total of each page, for contestants
// whose pages have different fields.
func items(answer []byte) ([]byte, error) {
	var value any
	if err := decode(answer, &value); err != nil {
		return nil, err
	}
	return json.Marshal(bare(value))
}

// bare replaces pages by their items.
func bare(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = bare(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = bare(v[name])
		}
		for _, of := range []string{"data", "nodes", "buckets", "totalItems", "totalCount"} {
			// The total of an interval is one of two fields.
			if item, ok := v[of]; ok && (len(v) == 1 || !strings.HasPrefix(of, "total")) {
				return item
			}
		}
	}
	return value
}

func decode(answer []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	if err := decoder.Decode(value); err != nil {
		return fmt.Errorf("reading an answer: %w", err)
	}
	return nil
}
