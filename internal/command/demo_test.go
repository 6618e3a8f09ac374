package command_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintburn/internal/command/serving"
	"mintburn/internal/httpapi/page"
	"mintburn/internal/store/write"
	"mintburn/internal/testing/apitest"
	"mintburn/internal/testing/expect"
)

// TestDemo_PrintedCommand runs the command that the demo prints.
func TestDemo_PrintedCommand(t *testing.T) {
	t.Parallel()
	s := start(t, "demo")
	printed := regexp.MustCompile(`(?s)curl .*?\n\n`).FindString(s.output.String())
	text, err := s.shell(t, "", strings.TrimSpace(printed))
	if err != nil {
		t.Fatalf("%q: %v", printed, err)
	}
	var got struct {
		Data struct {
			Mints struct {
				TotalItems int
				Data       []record
			}
		}
	}
	apitest.Decode(t, text, &got)
	var want []record
	exported, _ := mustRun(t, "export", "--db", importDemo(t), "mints", "--from-block", "82", "--to-block", "82")
	for line := range strings.Lines(exported) {
		var r struct {
			Address string `json:"token_address"`
			ID      string `json:"token_id"`
			To      string
		}
		apitest.Decode(t, line, &r)
		want = append(want, record{"tokenAddress": r.Address, "tokenId": r.ID, "to": r.To})
	}
	if got.Data.Mints.TotalItems != len(want) || len(want) == 0 {
		t.Errorf("totalItems is %d, want %d: %s", got.Data.Mints.TotalItems, len(want), text)
	}
	expect.Equal(t, "mints", want, got.Data.Mints.Data)
}

// TestDemo_Live checks that the demo answers the examples of README.md the same while blocks are
// added.
func TestDemo_Live(t *testing.T) {
	t.Parallel()
	skipShort(t, "follows a node")
	r := &runner{t: t, server: start(t, "demo", "--live"), compared: map[string]int{}}
	until(t, func() bool {
		return r.server.Ask(t, "{ mints(block: 825, first: 1) { page } }", "").Errors == nil
	})
	for _, err := range r.document(documents(t)["README.md"]) {
		t.Error(err)
	}
	if r.compared["graphql"] < 5 || r.compared["sh"] < 1 {
		t.Errorf("compared %v: want the five operations and curl", r.compared)
	}
	if chain := fmt.Sprint(r.server.Get(t, "{ chain { rangeCap } }", "")["chain"]); chain != "map[rangeCap:10000]" {
		t.Errorf("the demo decodes with %s", chain)
	}
}

// TestDemo_Clocks checks that the demo serves its records with a clock before the recording, and long
// after it. The blocks of the live demo never go back in time.
func TestDemo_Clocks(t *testing.T) {
	t.Parallel()
	skipShort(t, "serves the demo four times")
	const recorded = 1_795_384_800
	for year, want := range map[int]int64{2020: recorded, 2028: time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC).Unix()} {
		now := func() time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
		for live, args := range map[bool][]string{false: {"demo"}, true: {"demo", "--live"}} {
			s := startAt(t, now, args...)
			const ask = "{ mints(order: DESC, first: 1) { totalItems data { blockTime } } chain { head { timestamp } } }"
			until(t, func() bool {
				got := s.Get(t, ask, "")
				mints := got["mints"].(map[string]any)
				at := mints["data"].([]any)[0].(map[string]any)["blockTime"]
				if head := got["chain"].(map[string]any)["head"].(map[string]any)["timestamp"]; head != at {
					t.Fatalf("%d, %v: the last mint is of %v, the head of %v", year, args, at, head)
				}
				grown := fmt.Sprint(mints["totalItems"]) != "1218"
				if at := fmt.Sprint(at); at != fmt.Sprint(recorded) && (!grown || at != fmt.Sprint(want)) {
					t.Fatalf("%d, %v: the last mint is of %s", year, args, at)
				}
				return grown || !live
			})
			for _, path := range []string{"/explore", "/readyz"} {
				if got := s.Send(t, http.MethodGet, path, ""); got.Status != http.StatusOK {
					t.Errorf("%d, %v: %s has status %d", year, args, path, got.Status)
				}
			}
		}
	}
}

// TestDemo_Tabs runs the page's example tabs, and checks that each page of items that
// they request has items.
func TestDemo_Tabs(t *testing.T) {
	t.Parallel()
	s := serve(t, importDemo(t))
	tabs := readyTabs(t, importDemo(t))
	if len(tabs) != 10 {
		t.Fatalf("%d tabs, want 10", len(tabs))
	}
	pages := 0
	// The last one is a subscription, which runs in a browser.
	for _, tab := range tabs[:9] {
		t.Run(tab.Title, func(t *testing.T) {
			if strings.Contains(tab.Query, "no example") {
				t.Errorf("the tab has no values: %s", tab.Variables)
			}
			answer := s.Get(t, tab.Query, tab.Variables)
			if collection, ok := answer["collection"].(map[string]any); ok {
				answer = map[string]any{"tokens": collection["tokens"]}
			}
			for name, connection := range answer {
				pages++
				page := connection.(map[string]any)
				if items := page["data"].([]any); len(items) == 0 || fmt.Sprint(page["totalItems"]) == "0" {
					t.Errorf("%s is empty with %s", name, tab.Variables)
				}
			}
		})
	}
	if pages != 13 {
		t.Errorf("%d pages answered, want 5, those 5 again as a batch, a list, totals and tokens", pages)
	}
	t.Run("as served", func(t *testing.T) {
		neededPage(t)
		if diff := cmp.Diff(tabs, servedTabs(t, s)); diff != "" {
			t.Errorf("tabs (-made +served):\n%s", diff)
		}
	})
}

// readyTabs returns the tabs for a database.
func readyTabs(t *testing.T, db string) []page.Tab {
	t.Helper()
	s, err := write.Open(t.Context(), db, write.Options{})
	expect.NoError(t, err)
	defer s.Close()
	examples, err := serving.Examples(t.Context(), s)
	expect.NoError(t, err)
	return page.Tabs(examples)
}

// servedTabs returns the tabs in the served page.
func servedTabs(t *testing.T, s *server) []page.Tab {
	t.Helper()
	body := s.Send(t, http.MethodGet, "/", "").Body
	found := regexp.MustCompile(`(?s)<script type="application/json" id="page-data">(.*?)</script>`).FindStringSubmatch(body)
	if found == nil {
		t.Fatalf("the page has no data: %.300s", body)
	}
	var page struct{ Tabs []page.Tab }
	expect.NoError(t, json.Unmarshal([]byte(found[1]), &page))
	return page.Tabs
}
