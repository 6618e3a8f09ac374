package newfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"mintburn/internal/newfile"
	"mintburn/internal/testing/expect"
)

// TestCreate checks that Create removes what killed processes left, and nothing else.
func TestCreate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	kept := []string{
		"x", "x.part", "x..part", "x.1", "x.1.partial", "x.1a.part", "xx.1.part", "y.1.part", "x.1.part.gz", "x.-1.part", "x.1.part-wal", "X.2.part-journal",
	}
	for _, name := range append([]string{"x.1.part", "x.4294967295.part", "x.7.part-journal", "x.8.part", "x.8.part-journal"}, kept...) {
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	expect.NoError(t, os.Mkdir(filepath.Join(folder, "x.3.part"), 0o700))
	kept = append(kept, "x.3.part")
	for range 3 {
		file, err := newfile.Create(filepath.Join(folder, "x"), ".part")
		expect.NoError(t, err)
		defer file.Close()
		kept = append(kept, filepath.Base(file.Name()))
	}
	var left []string
	entries, err := os.ReadDir(folder)
	expect.NoError(t, err)
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	slices.Sort(kept)
	expect.Equal(t, "files", kept, left)
	if _, err := newfile.Create(filepath.Join(folder, "none", "x"), ".part"); !os.IsNotExist(err) {
		t.Errorf("in a missing folder: got %v", err)
	}
}

// TestTarget checks that Target finds the file that the system opens.
func TestTarget(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"real/deep", "other"} {
		expect.NoError(t, os.MkdirAll(filepath.Join(folder, name), 0o700))
	}
	for link, to := range map[string]string{
		"linked": "real/deep", "absolute": filepath.Join(folder, "real/a"), "chain": "absolute", "real/deep/up": "../a", "dangling": "other/b", "loop": "loop", "dots": "other/../real/a",
	} {
		expect.NoError(t, os.Symlink(to, filepath.Join(folder, link)))
	}
	for path, want := range map[string]string{
		"plain": "plain", "absolute": "real/a", "chain": "real/a", "linked/up": "real/a", "dangling": "other/b", "other/../chain": "real/a", "dots": "real/a", "loop": "",
	} {
		got := newfile.Target(folder + "/" + path)
		if err := os.WriteFile(got, []byte(path), 0o600); want == "" && err == nil || want != "" && err != nil {
			t.Errorf("%s: %s: %v", path, got, err)
		} else if want != "" {
			text, err := os.ReadFile(filepath.Join(folder, want))
			expect.NoError(t, err)
			expect.Equal(t, path, path, string(text))
		}
	}
}
