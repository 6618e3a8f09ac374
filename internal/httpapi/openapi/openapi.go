package openapi

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Document describes an API. Its members, and theirs, have the names of the specification.
type Document struct {
	OpenAPI    string                `json:"openapi"`
	Info       Info                  `json:"info"`
	Servers    []map[string]string   `json:"servers"`
	Security   []map[string][]string `json:"security"`
	Paths      Map[Path]             `json:"paths"`
	Components Components            `json:"components"`
}

// Info says what the API is.
type Info struct {
	Title       string            `json:"title"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     map[string]string `json:"license"`
}

// Path is a path with its only method.
type Path struct {
	Get Operation `json:"get"`
}

// Operation is a request. Security, if it is not nil, replaces that of the document. Responses has
// references to those of [Components], by status.
type Operation struct {
	OperationID string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Security    []map[string][]string `json:"security,omitzero"`
	Parameters  []Parameter           `json:"parameters,omitempty"`
	Responses   Map[Reference]        `json:"responses"`
}

// Reference is a reference to a component.
type Reference struct {
	Ref string `json:"$ref"`
}

// Parameter is a parameter in the path or the query string. A list is a repeated parameter.
type Parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Schema      Schema `json:"schema"`
}

// Components has what the rest of the document refers to, by name.
type Components struct {
	Headers         map[string]Header            `json:"headers"`
	Responses       Map[Response]                `json:"responses"`
	Schemas         Map[Schema]                  `json:"schemas"`
	SecuritySchemes map[string]map[string]string `json:"securitySchemes"`
}

// Response is an answer. Headers has references to those of [Components], by name, and Content is by
// media type.
type Response struct {
	Description string         `json:"description"`
	Headers     Map[Reference] `json:"headers,omitempty"`
	Content     Map[Media]     `json:"content,omitempty"`
}

// Header is a header of an answer.
type Header struct {
	Description string `json:"description"`
	Schema      Schema `json:"schema"`
}

// Media is the body of an answer in a media type.
type Media struct {
	Schema Schema `json:"schema"`
}

// Map is a JSON object whose members have an order.
type Map[T any] []Member[T]

// Member is a member of a [Map].
type Member[T any] struct {
	Name  string
	Value T
}

// MarshalJSON returns the object.
func (m Map[T]) MarshalJSON() ([]byte, error) {
	members := make([][]byte, len(m))
	for i, member := range m {
		object, err := json.Marshal(map[string]T{member.Name: member.Value})
		if err != nil {
			return nil, err
		}
		members[i] = object[1 : len(object)-1]
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}")), nil
}

// Add adds a member.
func (m *Map[T]) Add(name string, value T) { *m = append(*m, Member[T]{name, value}) }

// Get returns the value of a name.
func (m Map[T]) Get(name string) (value T, ok bool) {
	for _, member := range m {
		if member.Name == name {
			return member.Value, true
		}
	}
	return value, false
}
