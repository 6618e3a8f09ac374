package workload

import (
	"encoding/json"
	"errors"
	"fmt"
)

// walk is a query for as many cursors as a page may have.
const walk = `query($address: Address!, $fromBlock: Long!, $toBlock: Long!, $after: Cursor) { ` +
	`burns(address: $address, fromBlock: $fromBlock, toBlock: $toBlock, after: $after, first: 1000) { page cursor edges { cursor } } }`

// AddCursors walks to the burns after which the sets continue, and fills in their
// cursors. ask sends a request to our server and returns the answer.
func (w *Workload) AddCursors(ask func(body []byte) ([]byte, error)) error {
	v := w.Sets[0]
	place, next := 0, 0
	for next < len(w.Sets) {
		body, err := (&Workload{Document: walk}).Body(v)
		if err != nil {
			return err
		}
		text, err := ask(body)
		if err != nil {
			return err
		}
		var answer struct {
			Data struct {
				Burns struct {
					Page   int
					Cursor string
					Edges  []struct{ Cursor string }
				}
			}
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return fmt.Errorf("reading an answer: %w", err)
		}
		page := &answer.Data.Burns
		for _, edge := range page.Edges {
			if next < len(w.Sets) && w.Sets[next].Place == place {
				w.Sets[next].After, w.Sets[next].Page = edge.Cursor, page.Page
				next++
			}
			place++
		}
		if v.After = page.Cursor; v.After == "" && next < len(w.Sets) {
			return errors.New("walking to the 1,000th page: the pages end before it")
		}
	}
	return nil
}
