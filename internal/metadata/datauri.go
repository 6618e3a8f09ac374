package metadata

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// maxDataURI is the length limit of a data: URI: a header and [MaxDocument] bytes, each
// percent-encoded.
const maxDataURI = 3*MaxDocument + 1024

// DecodeDataURI returns the media type and the content of a data: URI (RFC 2397). The
// media type is in lower case and without parameters; it defaults to "text/plain".
//
// It is more tolerant than the RFC, because contracts are:
//   - The header ends at the first comma. Everything after it is content, including a raw #.
//   - The word base64 may be any parameter. The base64 may use either alphabet, have
//     padding or not, contain ASCII white space, and be percent-encoded.
//   - Any other content is percent-decoded. A % that two hex digits do not follow is
//     kept. If the content is JSON before but not after decoding, it was never encoded
//     (its percent signs belong to a URI in the JSON) and is returned unchanged.
//   - Other parameters are ignored; [Fetcher.Fetch] reads charset.
//
// It fails if the URI has another scheme, no comma, invalid base64, more than
// [MaxDocument] bytes of content, or a length of more than three times that plus 1,024
// bytes.
func DecodeDataURI(uri string) (mediaType string, body []byte, err error) {
	uri = trimURI(uri)
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

// isBase64 reports whether one of the semicolon-separated parameters is base64. There may
// be millions, so it does not split them into a slice.
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
