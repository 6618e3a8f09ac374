package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"mintburn/bench/measure"
	"mintburn/bench/workload"
	"mintburn/internal/command"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/pgtest"
)

// TestMain lets the test binary act as mintburn, and as the contestants that are commands
// of this program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "static", "hand", "attack":
			main()
			return
		case "serve", "import", "export":
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(command.Run(ctx, nil, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		}
	}
	os.Exit(m.Run())
}

// program returns the test binary, as mintburn.
func program(t testing.TB) string {
	path, err := os.Executable()
	expect.NoError(t, err)
	return path
}

// smoke returns a run that takes little time.
func smoke(t *testing.T) *runCommand {
	return &runCommand{
		Records: minRecords, DB: filepath.Join(t.TempDir(), "bench.db"), Contestants: []string{static, byHand, ours},
		sampling: sampling{Clients: 4, For: 20 * time.Millisecond, Sets: 10},
	}
}

func TestRun_AllFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("measures as often as three other tests")
	}
	c := smoke(t)
	r, err := c.measure(t.Context(), program(t), t.TempDir(), t.Output())
	expect.NoError(t, err)
	for i, want := range []struct {
		name      string
		workloads int
	}{{staticBytes, 17}, {"hand-written", 11}, {ours, 17}} {
		got := r.Contestants[i]
		if got.Name != want.name || got.Start <= 0 || got.Memory <= 0 || got.Memory > 1<<30 || got.Others < 0 || got.Others > 1 {
			t.Errorf("%s: %s started in %s, has %d bytes, others used %.2f", want.name, got.Name, got.Start, got.Memory, got.Others)
		}
		if names := slices.Sorted(maps.Keys(got.Workloads)); len(names) != want.workloads {
			t.Errorf("%s: workloads %q", want.name, names)
		}
		for name, w := range got.Workloads {
			if w.Requests < c.Clients || w.PerSecond <= 0 || w.P50 <= 0 || w.P99 < w.P50 {
				t.Errorf("%s: %s: %+v", want.name, name, w)
			}
		}
	}
	if us := r.of(ours); us.Unseen[workload.Range].Requests == 0 || us.Unseen[workload.Five].Requests == 0 || us.MemoryUnseen == 0 {
		t.Errorf("unseen documents: %+v, %d bytes", us.Unseen, us.MemoryUnseen)
	}
	var text strings.Builder
	expect.NoError(t, r.writeTables(&text))
	// Nine tables, each with two lines above its rows.
	if n := strings.Count(text.String(), "\n|"); n != 9*2+7*3+2*2 {
		t.Errorf("%d lines of tables in:\n%s", n, &text)
	}
	again, err := fill(t.Context(), "", c.DB, c.Records)
	if err != nil || again.Took != 0 || again.Bytes == 0 {
		t.Errorf("an existing database: %+v, %v", again, err)
	}
}

// TestRun_OtherAnswers checks that a contestant with a different answer gets no figures.
func TestRun_OtherAnswers(t *testing.T) {
	c := smoke(t)
	m, err := c.match(t.Context(), program(t), c.DB, io.Discard)
	expect.NoError(t, err)
	m.answers["token"] = strings.Replace(m.answers["token"], `"ERC`, `"erc`, 1)
	other, err := enter(t.Context(), static, program(t), c.DB, c.Records, m.answers)
	expect.NoError(t, err)
	if _, err := m.run(t.Context(), other); err == nil || !strings.Contains(err.Error(), "token") {
		t.Errorf("an answer was changed, and the error is %v", err)
	}
}

// TestRun_UnknownAmounts checks that a database whose amounts are unknown is refused.
func TestRun_UnknownAmounts(t *testing.T) {
	c, file := smoke(t), filepath.Join(t.TempDir(), "import.ndjson")
	expect.NoError(t, generate(file, minRecords))
	_, err := watchImport(t.Context(), program(t), c.DB, file, t.Output())
	expect.NoError(t, err)
	if _, err := c.match(t.Context(), program(t), c.DB, t.Output()); err == nil || !strings.Contains(err.Error(), "--from-deployment") {
		t.Errorf("got %v", err)
	}
}

// TestRun_Peers runs the contestants from npm, which read our tables.
func TestRun_Peers(t *testing.T) {
	if os.Getenv("MINTBURN_PEERS") == "" {
		t.Skip("needs packages that .ci/long installs")
	}
	c := smoke(t)
	c.Contestants = []string{mercurius, cluster, postGraphile}
	_, err := c.measure(t.Context(), program(t), t.TempDir(), t.Output())
	expect.NoError(t, err)
}

// TestLoad_ProgramFails checks that load fails, without waiting, when the program ends
// before it has read everything.
func TestLoad_ProgramFails(t *testing.T) {
	if _, err := load(t.Context(), "false", filepath.Join(t.TempDir(), "bench.db"), ownRecords); err == nil {
		t.Error("no error")
	}
}

// TestScale_KeepsTheBest measures two databases twice, and checks that the best figures
// are kept.
func TestScale_KeepsTheBest(t *testing.T) {
	if testing.Short() {
		t.Skip("measures as often as four other tests")
	}
	var out strings.Builder
	c := scaleCommand{Records: []int{minRecords, 2 * minRecords}, sampling: sampling{Clients: 4, For: 5 * time.Millisecond, Sets: 10}, Rounds: 2}
	expect.NoError(t, c.measure(t.Context(), program(t), t.TempDir(), &out, t.Output()))
	if strings.Count(out.String(), "\n| 5000 records |") != 3 || strings.Count(out.String(), "\n| 10000 records |") != 5 {
		t.Errorf("want three lines of the first, and five of the second, in:\n%s", &out)
	}
	r := contestantResult{Workloads: map[string]measure.Result{"a": {CPU: 2}, "b": {CPU: 2}}, Start: 2, Memory: 2, MemoryUnseen: 2}
	r.keepBest(contestantResult{Workloads: map[string]measure.Result{"a": {CPU: 1}, "b": {CPU: 3}}, Start: 3, Memory: 3, MemoryUnseen: 1})
	if r.Workloads["a"].CPU != 1 || r.Workloads["b"].CPU != 2 || r.Start != 2 || r.Memory != 3 || r.MemoryUnseen != 2 {
		t.Errorf("kept %+v", r)
	}
}

// TestCores measures a server on each number of processors.
func TestCores(t *testing.T) {
	if testing.Short() {
		t.Skip("measures as often as two other tests")
	}
	all, err := processors()
	expect.NoError(t, err)
	var out strings.Builder
	c := coresCommand{Records: minRecords, Contestants: []string{static}, sampling: sampling{Clients: 4, For: 5 * time.Millisecond, Sets: 10}}
	expect.NoError(t, c.measure(t.Context(), program(t), t.TempDir(), &out, t.Output()))
	for n := 1; n <= len(all); n *= 2 {
		// Either its own processors, or all of them with the clients.
		if lines := regexp.MustCompile(fmt.Sprintf(`\n\| static bytes, %d( with the clients)? \|`, n)).FindAllString(out.String(), -1); len(lines) != 7 {
			t.Errorf("%d processors: got %d lines, want 7, in:\n%s", n, len(lines), &out)
		}
	}
	after, err := processors()
	expect.NoError(t, err)
	expect.Equal(t, "processors afterwards", all, after)
}

// TestImport_Reports checks that an import prints its rate and time, that the file is
// generated once, and that a failed import is an error and prints the program's output.
func TestImport_Reports(t *testing.T) {
	var out strings.Builder
	c := importCommand{Records: minRecords, File: filepath.Join(t.TempDir(), "import.ndjson")}
	expect.NoError(t, c.measure(t.Context(), program(t), t.TempDir(), &out))
	for _, want := range []string{"Imported ", "In all "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in: %s", want, &out)
		}
	}
	expect.NoError(t, os.WriteFile(c.File, []byte("no JSON\n"), 0o600))
	out.Reset()
	if err := c.measure(t.Context(), program(t), t.TempDir(), &out); err == nil || !strings.Contains(out.String(), "import.ndjson:1") {
		t.Errorf("an import of a bad file: %v, %s", err, &out)
	}
}

// TestImport_BesideCopy checks that the bare copy has the same rows and indexes.
func TestImport_BesideCopy(t *testing.T) {
	if testing.Short() {
		t.Skip("starts PostgreSQL")
	}
	var out strings.Builder
	file, dsn := filepath.Join(t.TempDir(), "import.ndjson"), pgtest.DSN(t)
	expect.NoError(t, generate(file, minRecords))
	expect.NoError(t, importBesideCopy(t.Context(), program(t), dsn, file, &out))
	if want := fmt.Sprintf("%d records of ", minRecords); !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "; ratio ") {
		t.Errorf("want a line with the rates of %q in:\n%s", want, &out)
	}
	db, err := pgx.Connect(t.Context(), dsn)
	expect.NoError(t, err)
	defer db.Close(t.Context())
	for _, what := range []string{
		"SELECT table_name FROM information_schema.tables WHERE table_schema = '%s' AND table_type = 'BASE TABLE' ORDER BY 1",
		"SELECT replace(indexdef, ' ON bare.', ' ON public.') FROM pg_indexes WHERE schemaname = '%s' ORDER BY 1",
		"SELECT mints::text FROM %s.mints ORDER BY id",
		"SELECT counters::text FROM %s.counters ORDER BY id",
	} {
		var lists [2][]string
		for i, schema := range []string{"public", "bare"} {
			lists[i], err = textsOf(t.Context(), db, fmt.Sprintf(what, schema))
			expect.NoError(t, err)
		}
		expect.Equal(t, what, lists[0], lists[1])
	}
}
