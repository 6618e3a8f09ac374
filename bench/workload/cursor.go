package workload

import (
	"encoding/json"
	"errors"
	"fmt"
)

// AddCursors walks to the items after which the sets continue, for the workloads that have
// a walk, and fills in their cursors. ask sends a request to our server and returns the
// answer.
func AddCursors(list []Workload, ask func(body []byte) ([]byte, error)) error {
	for i := range list {
		if w := &list[i]; w.Walk != "" {
			if err := w.addCursors(ask); err != nil {
				return fmt.Errorf("%s: %w", w.Name, err)
			}
		}
	}
	return nil
}

func (w *Workload) addCursors(ask func(body []byte) ([]byte, error)) error {
	v := w.Sets[0]
	place, next := 0, 0
	for next < len(w.Sets) {
		body, err := (&Workload{Document: w.Walk}).Body(v)
		if err != nil {
			return err
		}
		text, err := ask(body)
		if err != nil {
			return err
		}
		var answer struct {
			Data struct {
				List struct {
					Page   int
					Cursor string
					Edges  []struct{ Cursor string }
				}
			}
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return fmt.Errorf("reading an answer: %w", err)
		}
		page := &answer.Data.List
		for _, edge := range page.Edges {
			if next < len(w.Sets) && w.Sets[next].Place == place {
				w.Sets[next].After, w.Sets[next].Page = edge.Cursor, page.Page
				next++
			}
			place++
		}
		if v.After = page.Cursor; v.After == "" && next < len(w.Sets) {
			return errors.New("walking: the pages end before the last set")
		}
	}
	return nil
}
