package documented

import "strings"

// CamelCase returns the GraphQL name of a documented name: blockTime for block_time.
func CamelCase(documented string) string {
	words := strings.Split(documented, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// SnakeCase returns the documented name of a GraphQL name: block_time for blockTime.
func SnakeCase(name string) string {
	var snake []byte
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			snake = append(snake, '_')
			c += 'a' - 'A'
		}
		snake = append(snake, c)
	}
	return string(snake)
}
