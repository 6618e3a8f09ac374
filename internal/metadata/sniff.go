package metadata

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// maxSniffed is the number of bytes that show the media type of content.
const maxSniffed = 512

// The beginnings of pictures that net/http does not recognise: SVG, and AVIF and HEIC.
var (
	svg  = regexp.MustCompile(`^(\xEF\xBB\xBF)?\s*(<\?xml[^>]*>\s*|<!--[^>]*-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s/>]`)
	heif = regexp.MustCompile(`(?s)^....ftyp(avif|avis|heic|heix|mif1)`)
)

// notJSON returns the media type of content that is recognisably not JSON, such as a picture
// or web page, and "" otherwise. It ignores the Content-Type header, which is often wrong.
func notJSON(body []byte) string {
	start := bytes.TrimLeft(body, " \t\r\n")
	if len(start) == 0 || bytes.IndexByte([]byte(`{["`), start[0]) >= 0 {
		// Some signatures also match JSON.
		return ""
	}
	body = body[:min(len(body), maxSniffed)]
	if svg.Match(body) {
		return "image/svg+xml"
	}
	if brand := heif.FindSubmatch(body); brand != nil {
		return "image/" + string(brand[1])
	}
	kind, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if kind == "text/plain" || kind == "application/octet-stream" {
		return ""
	}
	return kind
}

// isPicture reports whether content begins as a picture.
func isPicture(start []byte) bool { return strings.HasPrefix(notJSON(start), "image/") }

// pictureDocument returns the document of a token whose URI leads to a picture.
func pictureDocument(uri string) string {
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(uri) // a string has a JSON form, and a Builder accepts it
	return `{"image": ` + strings.TrimSpace(quoted.String()) + `}`
}
