package flags

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestFlags_TestVariables checks that no command warns about the variables of tests.
func TestFlags_TestVariables(t *testing.T) {
	t.Parallel()
	pattern := regexp.MustCompile(`"(MINTBURN_[A-Z_]*[A-Z])"`)
	found := 0
	for _, glob := range []string{"../../*/*_test.go", "../../testing/*/*.go", "../*_test.go"} {
		files, err := filepath.Glob(glob)
		expect.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			expect.NoError(t, err)
			for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
				found++
				if !slices.Contains(testVariables, match[1]) {
					t.Errorf("%s reads %s: add it to testVariables", file, match[1])
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("%d variables were found", found)
	}
}
