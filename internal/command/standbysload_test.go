package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mintburn/internal/testing/apitest"
)

// walkers are clients that walk pages and follow changes. Each request must succeed, with an answer
// that is no older than its cursor.
type walkers struct {
	t    testing.TB
	base string
	// pace has a tick for each request.
	pace <-chan time.Time
	stop func()

	// mu guards the fields below.
	mu    sync.Mutex
	asked int
	// upward are the mints in chain order, downward those of each walk from the newest on, and added
	// those of the changes, whose copy began above the block start.
	upward, added []string
	downward      [][]string
	start         uint64
}

// newWalkers starts clients that send 50 requests a second.
func newWalkers(t testing.TB, base string) *walkers {
	ctx, end := context.WithCancel(t.Context())
	ticker := time.NewTicker(time.Second / 50)
	t.Cleanup(ticker.Stop)
	w := &walkers{t: t, base: base, pace: ticker.C}
	var walking sync.WaitGroup
	for _, walk := range []func(context.Context){w.walkUpward, w.walkDownward, w.follow} {
		walking.Go(func() { walk(ctx) })
	}
	w.stop = sync.OnceFunc(func() {
		end()
		walking.Wait()
		t.Logf("%d requests", w.asked)
	})
	t.Cleanup(w.stop)
	return w
}

// ask sends a request, which must succeed, and decodes its answer. It returns false if it did not.
func (w *walkers) ask(ctx context.Context, method, path, body string, into any) bool {
	select {
	case <-w.pace:
	case <-ctx.Done():
	}
	r, err := http.NewRequestWithContext(ctx, method, w.base+path, strings.NewReader(body))
	if err != nil {
		w.t.Error(err)
		return false
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", apitest.JSON)
	}
	status, text := 0, []byte{}
	response, err := http.DefaultClient.Do(r)
	if err == nil {
		text, err = io.ReadAll(response.Body)
		_ = response.Body.Close()
		status = response.StatusCode
	}
	if ctx.Err() != nil {
		return false
	}
	if err == nil && status == http.StatusOK && !strings.Contains(string(text), `"errors"`) {
		err = json.Unmarshal(text, into)
	} else {
		err = fmt.Errorf("%w, status %d", err, status)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked++; err != nil {
		w.t.Errorf("%s %s %s: %v: %.300s", method, path, body, err, text)
	}
	return err == nil
}

// await waits for this many more requests.
func (w *walkers) await(more int) {
	count := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.asked
	}
	goal := count() + more
	until(w.t, func() bool { return count() >= goal })
}

// walked is a page of mints with the state of the server.
type walked struct {
	Data struct {
		Chain struct{ Head struct{ Number uint64 } }
		Mints struct {
			Cursor   *string
			Data     []record
			PageInfo struct{ EndCursor *string }
		}
	}
}

// walkedFields are the fields of walked.
const walkedFields = "{ chain { head { number } } mints(first: 40, after: $after, order: %s) { cursor data { blockNumber logIndex subIndex } pageInfo { endCursor } } }"

// place is the place of a record in chain order, as text.
func (r record) place() string {
	return fmt.Sprint(r["blockNumber"], ".", r["logIndex"], ".", r["subIndex"])
}

// blockOf returns the block of a place.
func blockOf(place string) (number uint64) {
	_, _ = fmt.Sscanf(place, "%d.", &number)
	return number
}

// read adds the places of a page to a list. Its state must have the block of the last place.
func (w *walkers) read(list []string, page *walked) []string {
	if head := page.Data.Chain.Head.Number; len(list) > 0 && head < blockOf(list[len(list)-1]) {
		w.t.Errorf("the page after %s is of block %d", list[len(list)-1], head)
	}
	for _, r := range page.Data.Mints.Data {
		list = append(list, r.place())
	}
	return list
}

// walkUpward walks all mints by POST, and continues at the end of the list.
func (w *walkers) walkUpward(ctx context.Context) {
	var list []string
	for after := "null"; ctx.Err() == nil; {
		var page walked
		if !w.ask(ctx, http.MethodPost, "/graphql", apitest.Request("query($after: Cursor) "+fmt.Sprintf(walkedFields, "ASC"), `{"after": `+after+`}`), &page) {
			continue
		}
		if list = w.read(list, &page); page.Data.Mints.PageInfo.EndCursor != nil {
			after = fmt.Sprintf("%q", *page.Data.Mints.PageInfo.EndCursor)
		}
		w.mu.Lock()
		w.upward = slices.Clone(list)
		w.mu.Unlock()
	}
}

// walkDownward walks the newest mints by GET, again and again.
func (w *walkers) walkDownward(ctx context.Context) {
	for ctx.Err() == nil {
		var list []string
		for after := "null"; after != "" && len(list) < 200; {
			var page walked
			query := url.Values{"query": {"query($after: Cursor) " + fmt.Sprintf(walkedFields, "DESC")}, "variables": {`{"after": ` + after + `}`}}
			if !w.ask(ctx, http.MethodGet, "/graphql?"+query.Encode(), "", &page) {
				break
			}
			if list, after = w.read(list, &page), ""; page.Data.Mints.Cursor != nil {
				after = fmt.Sprintf("%q", *page.Data.Mints.Cursor)
			}
		}
		w.mu.Lock()
		w.downward = append(w.downward, list)
		w.mu.Unlock()
	}
}

// follow follows the changes by GET.
func (w *walkers) follow(ctx context.Context) {
	after, head := "", uint64(0)
	for ctx.Err() == nil {
		var batch struct {
			feedBatch
			Head struct {
				Number uint64
			}
		}
		path := "/v1/changes?limit=9"
		if after != "" {
			path += "&after=" + url.QueryEscape(after)
		}
		if !w.ask(ctx, http.MethodGet, path, "", &batch) {
			continue
		}
		w.mu.Lock()
		if after == "" {
			w.start = batch.Head.Number
		}
		if batch.Head.Number < head {
			w.t.Errorf("a batch of block %d follows one of block %d", batch.Head.Number, head)
		}
		after, head = batch.Cursor, batch.Head.Number
		for _, c := range batch.Data {
			if c.Mint != nil {
				w.added = append(w.added, c.Mint.ID)
			}
		}
		w.mu.Unlock()
	}
}

// compare waits until the walks have reached the end of a list of all mints, ends them, and compares
// them with it.
func (w *walkers) compare(all []string) {
	w.t.Helper()
	above := func(block uint64) []string {
		return all[slices.IndexFunc(append(all, fmt.Sprint(^uint64(0))), func(place string) bool { return blockOf(place) > block }):]
	}
	until(w.t, func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.upward) >= len(all) && len(w.added) >= len(above(w.start))
	})
	w.stop()
	if !slices.Equal(w.upward, all) || len(w.added) != len(above(w.start)) {
		w.t.Errorf("a walk has %d mints of %d, the changes %d of %d", len(w.upward), len(all), len(w.added), len(above(w.start)))
	}
	slices.Reverse(all)
	for _, list := range w.downward {
		if len(list) == 0 {
			continue
		}
		if at := slices.Index(all, list[0]); at < 0 || !slices.Equal(all[at:at+len(list)], list) {
			w.t.Errorf("a walk from the newest mint on is %v", list)
		}
	}
}
