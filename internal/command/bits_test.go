package command_test

import (
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// unseen are the columns of exports that a check has nothing to compare with (docs/backup.md#check-a-database).
var unseen = map[string][]string{
	"mints": nil, "burns": nil,
	"tokens":      {"metadata_state", "metadata_error"},
	"metadata":    {"external_url", "image_data", "background_color", "youtube_url", "updated_at", "name", "description", "image", "animation_url", "uri", "fetched_at"},
	"collections": {"name", "symbol"},
}

// seen returns what a set exports of the groups of 64 blocks that are full, without the columns that a check can't
// see; or the error of the export.
func seen(t *testing.T, dsn, set string) []string {
	t.Helper()
	args := []string{"export", "--db", dsn, "--format", "csv", set}
	if set == "mints" || set == "burns" {
		args = append(args, "--to-block", "767")
	}
	stdout, stderr, code := run(t, nil, args...)
	if code != 0 {
		return []string{stderr}
	}
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	expect.NoError(t, err)
	var list []string
	names := slices.Clone(rows[0])
	for _, row := range rows {
		for i, name := range names {
			if slices.Contains(unseen[set], name) {
				row[i] = ""
			}
		}
		list = append(list, strings.Join(row, ","))
	}
	return list
}

// TestCheck_Bits flips single bits of a file. If a check then finds nothing, the exports are as before.
// MINTBURN_STEPS is the number of bits, MINTBURN_SEED the first seed.
func TestCheck_Bits(t *testing.T) {
	t.Parallel()
	skipShort(t, "checks many files")
	steps, seed := expect.Variable(t, "MINTBURN_STEPS", 12), expect.Variable(t, "MINTBURN_SEED", 1)
	whole := filepath.Join(t.TempDir(), "whole.db")
	mustRun(t, "import", "--db", whole, filepath.Join(root, "internal", "demo", "chain.ndjson.gz"))
	file, err := os.ReadFile(whole)
	expect.NoError(t, err)
	want := map[string][]string{}
	for set := range unseen {
		want[set] = seen(t, whole, set)
	}
	clean, changed := 0, 0
	for ; steps > 0; steps-- {
		random := rand.New(rand.NewPCG(seed, 5))
		seed++
		at, bit := random.IntN(len(file)), random.IntN(8)
		dsn := filepath.Join(t.TempDir(), "flipped.db")
		flipped := slices.Clone(file)
		flipped[at] ^= 1 << bit
		expect.NoError(t, os.WriteFile(dsn, flipped, 0o600))
		if _, _, code := run(t, nil, "check", "--db", dsn); code != 0 {
			changed++
			continue
		}
		clean++
		for set, rows := range want {
			if got := seen(t, dsn, set); !slices.Equal(rows, got) {
				t.Errorf("MINTBURN_SEED=%d: bit %d of byte %d: check finds nothing, and %s differ: %s", seed-1, bit, at, set, firstDifferent(rows, got))
			}
		}
	}
	if changed == 0 {
		t.Error("no check found a bit")
	}
	t.Logf("%d bits were found, %d not", changed, clean)
}

// firstDifferent returns the first lines that differ.
func firstDifferent(want, got []string) string {
	for i := range max(len(want), len(got)) {
		a, b := "", ""
		if i < len(want) {
			a = want[i]
		}
		if i < len(got) {
			b = got[i]
		}
		if a != b {
			return fmt.Sprintf("%.300q, was %.300q", b, a)
		}
	}
	return ""
}
