package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// TestTrimming checks that white space around the values of variables, flags and lists is no
// part of them, and that errors show what is left.
func TestTrimming(t *testing.T) {
	db := importChainA(t)
	config := filepath.Join(t.TempDir(), "c.toml")
	expect.NoError(t, os.WriteFile(config, []byte("\ufeff[export]\r\ndb = \" "+db+"\\n\"\r\nformat = 'csv '\r\n"), 0o600))
	for _, c := range []struct {
		variables map[string]string
		args      []string
		code      int
		want      string
	}{
		{map[string]string{"DB": db + "\n", "EXPORT_FROM_BLOCK": "\t1 ", "FORMAT": "csv\r\n", "PARTIAL": " true\n"}, []string{"export", "mints"}, 0, "Exported "},
		{map[string]string{"CONFIG": " " + config + "\r\n"}, []string{"export", "mints"}, 0, "Exported "},
		{nil, []string{"export", "mints", "--db=\t" + db + " ", "--address", " 0x00000000000000000000000000000000000000cc\u00a0", "--format", " ndjson"}, 0, "Exported 0 mints"},
		{nil, []string{"export", "mints", "--partial", "--db", db + "\n"}, 0, "Exported "},
		{map[string]string{"UNINDEXED": " 0x00000000000000000000000000000000000000cc , 0x12\n"}, []string{"import", "x"}, 2, `--unindexed: got "0x12", want`},
		{map[string]string{"RPC": "http://127.0.0.1:1, ftp://u:secret@h/key\n"}, []string{"sync"}, 2, `--rpc: "ftp://hidden@h/hidden": endpoint URL begins with "ftp:"`},
		{nil, []string{"sync", "--rpc", "http://h/%zz "}, 2, `--rpc: "http://hidden": endpoint URL cannot be parsed`},
		{map[string]string{"MAX_PAGE_SIZE": "0\n"}, []string{"serve"}, 2, "--max-page-size: got 0, want 1 to 10000"},
		{map[string]string{"TIMEOUT": " 3 x "}, []string{"serve"}, 2, `--timeout: got "3 x", want a duration`},
		{map[string]string{"LOG_FORMAT": " xml "}, []string{"version"}, 2, `got "xml"`},
		{map[string]string{"DB": " \n"}, []string{"check"}, 2, "--db: empty database path"},
	} {
		t.Run("", func(t *testing.T) {
			for name, value := range c.variables {
				t.Setenv("MINTBURN_"+name, value)
			}
			if _, stderr, code := run(t, nil, c.args...); code != c.code || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "secret") {
				t.Errorf("%v %v: exit code %d: %s\nwant %d: %s", c.variables, c.args, code, stderr, c.code, c.want)
			}
		})
	}
	t.Setenv("MINTBURN_"+"DB", " x.db\n")
	if stdout, _ := mustRun(t, "config", "check", config, "check"); !strings.Contains(stdout, `db = "x.db" # MINTBURN_DB`) {
		t.Errorf("config check prints %s", stdout)
	}
}
