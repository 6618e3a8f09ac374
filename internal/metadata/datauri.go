package metadata

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxDataURI allows a document of [MaxDocument] bytes with each byte
// percent-encoded, and a header.
const maxDataURI = 3*MaxDocument + 1024

// DecodeDataURI returns the media type, in lower case and without parameters,
// and the content of a data: URI (RFC 2397). Without a media type it is
// "text/plain".
//
// It reads what contracts return and not only what the RFC allows. The header
// ends at the first comma; everything after it is content, a raw # included.
// The word base64 may be any parameter, and base64 may be of either alphabet,
// with or without padding, with ASCII white space in it, and percent-encoded.
// Any other content is percent-decoded, a % without two hex digits standing
// for itself. Other parameters change nothing; [Fetcher.Fetch] reads charset.
// Content that is JSON as it stands but not once it is percent-decoded was
// never encoded (its percent signs belong to a URI inside) and is returned as
// it stands.
//
// It fails for a URI of another scheme, without a comma, with broken base64, of
// more than [MaxDocument] bytes of content, or itself of more than three times
// that and 1,024 bytes.
func DecodeDataURI(uri string) (mediaType string, body []byte, err error) {
	uri = strings.TrimSpace(uri)
	if len(uri) > maxDataURI {
		return "", nil, errTooLarge()
	}
	scheme, rest, _ := strings.Cut(uri, ":")
	if !strings.EqualFold(scheme, "data") {
		return "", nil, errors.New("not a data: URI")
	}
	header, content, found := strings.Cut(rest, ",")
	if !found {
		return "", nil, errors.New("data: URI without a comma")
	}

	mediaType, parameters, _ := strings.Cut(header, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	if mediaType == "" {
		mediaType = "text/plain"
	}
	plain, err := url.PathUnescape(escapeStray(content))
	if err != nil {
		return "", nil, err
	}
	body = []byte(plain)
	if isBase64(parameters) {
		if body, err = decodeBase64(body); err != nil {
			return "", nil, err
		}
	} else if !json.Valid(body) && json.Valid([]byte(content)) {
		body = []byte(content)
	}
	if len(body) > MaxDocument {
		return "", nil, errTooLarge()
	}
	return mediaType, body, nil
}

// isBase64 reports whether one of the parameters, which are parted by
// semicolons, is base64. They may be millions, so no list is made of them.
func isBase64(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		if strings.EqualFold(strings.TrimSpace(parameter), "base64") {
			return true
		}
	}
	return false
}

func decodeBase64(content []byte) ([]byte, error) {
	alphabet := strings.NewReplacer("-", "+", "_", "/", " ", "", "\t", "", "\n", "", "\r", "", "\f", "")
	digits := strings.TrimRight(alphabet.Replace(string(content)), "=")
	body, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("decoding the base64 of a data: URI: %w", err)
	}
	return body, nil
}
