package openapi

import "slices"

// Schema describes a value. Type is "" if the value may have several types, or that of Ref.
type Schema struct {
	Ref         string      `json:"$ref,omitempty"`
	Type        string      `json:"type,omitempty"`
	Description string      `json:"description,omitempty"`
	Const       string      `json:"const,omitempty"`
	Enum        []string    `json:"enum,omitempty"`
	Default     any         `json:"default,omitempty"`
	Pattern     string      `json:"pattern,omitempty"`
	MaxLength   int         `json:"maxLength,omitempty"`
	Minimum     *int        `json:"minimum,omitempty"`
	Maximum     *int        `json:"maximum,omitempty"`
	Items       *Schema     `json:"items,omitempty"`
	MaxItems    int         `json:"maxItems,omitempty"`
	AnyOf       []Schema    `json:"anyOf,omitempty"`
	Required    []string    `json:"required,omitempty"`
	Properties  Map[Schema] `json:"properties,omitempty"`
	// AdditionalProperties is false for objects, which have no other members.
	AdditionalProperties *bool `json:"additionalProperties,omitempty"`
}

// To returns a reference to one of the schemas of [Components].
func To(name string) Schema { return Schema{Ref: "#/components/schemas/" + name} }

// Integer is an integer from least to most.
func Integer(least, most int) Schema {
	return Schema{Type: "integer", Minimum: &least, Maximum: &most}
}

// String is a text of at most so many characters. The pattern "" matches any.
func String(pattern string, most int) Schema {
	return Schema{Type: "string", Pattern: pattern, MaxLength: most}
}

// Nullable is a value or null.
func Nullable(value Schema) Schema {
	return Schema{AnyOf: []Schema{value, {Type: "null"}}}
}

// List is a list of at most so many items.
func List(item Schema, most int) Schema {
	return Schema{Type: "array", Items: &item, MaxItems: most}
}

// Object is an object with these members only, all of them but the optional ones.
func Object(members Map[Schema], optional ...string) Schema {
	object := Schema{Type: "object", Properties: members, AdditionalProperties: new(false)}
	for _, member := range members {
		if !slices.Contains(optional, member.Name) {
			object.Required = append(object.Required, member.Name)
		}
	}
	return object
}

// About returns the schema with a description.
func (s Schema) About(description string) Schema {
	s.Description = description
	return s
}

// Or returns the schema with a default value.
func (s Schema) Or(value any) Schema {
	s.Default = value
	return s
}
