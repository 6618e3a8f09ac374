package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"

	"mintburn/internal/nft"
)

// answer returns the route's answer in an operation's data.
func (to *route) answer(data []byte) (answer json.RawMessage, failed *requestError, err error) {
	var found struct {
		Answer json.RawMessage
		State  struct {
			Data []struct {
				Error     *string
				UpdatedAt uint64
			}
		}
		Documents *struct{ Documents map[string]int64 }
	}
	var page struct{ Data []json.RawMessage }
	switch err = json.Unmarshal(data, &found); {
	case err != nil:
		return nil, nil, err
	case to.field == "tokens":
		return slices.Concat([]byte(`{"data":`), found.Answer, []byte("}")), nil, nil
	case to.object != "" && string(found.Answer) == "null":
		return nil, failf(nft.NotFound, "there is no such %s: no mint or burn names it", to.field), nil
	case !to.record():
		return found.Answer, nil, nil
	}
	if err = json.Unmarshal(found.Answer, &page); err != nil {
		return nil, nil, err
	}
	switch {
	case len(page.Data) == 0 && found.Documents == nil:
		return nil, failf(nft.NotFound, "there is no metadata yet"), nil
	case len(page.Data) == 0:
		n := found.Documents.Documents
		failed = failf(nft.NotFound, "there is no metadata yet: of the collection's tokens %d have a document or are waiting for a newer one, %d failed, %d were never tried",
			n["resolved"]+n["pending"], n["failed"], n["untried"])
		failed.errors[0].Extensions["documents"] = n
		return nil, failed, nil
	case found.State.Data[0].UpdatedAt == 0 && found.State.Data[0].Error != nil:
		// Every attempt to fetch the document has failed.
		return nil, failf(nft.NotFound, "there is no metadata: %s", *found.State.Data[0].Error), nil
	default:
		return page.Data[0], nil, nil
	}
}

// statusOf returns the status for a code.
func statusOf(code string) int {
	switch nft.Code(code) {
	case nft.BlockNotFound, nft.BlockNotIndexed, nft.NotFound:
		return http.StatusNotFound
	case nft.BlockNotCanonical, nft.CursorReorged:
		return http.StatusGone
	case nft.OutOfRange:
		return http.StatusUnprocessableEntity
	case nft.RateLimited:
		return http.StatusTooManyRequests
	case nft.Unavailable:
		return http.StatusServiceUnavailable
	case nft.Timeout:
		return http.StatusGatewayTimeout
	case nft.Internal:
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}
