package httpapi

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// schemaText returns the source text of a schema.
func schemaText(schema *ast.Schema) []byte {
	var text strings.Builder
	seen := map[*ast.Source]bool{}
	for _, name := range slices.Sorted(maps.Keys(schema.Types)) {
		position := schema.Types[name].Position
		if position == nil || position.Src == nil || position.Src.BuiltIn || seen[position.Src] {
			continue
		}
		seen[position.Src] = true
		text.WriteString(position.Src.Input)
	}
	return []byte(text.String())
}

// serveText returns a handler that serves a text that is constant for this build.
func serveText(mediaType string, text []byte) http.HandlerFunc {
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(text))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	}
}
