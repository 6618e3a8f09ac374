package chaintest

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Anvil starts anvil with these arguments on a free loopback port and stops it at the
// end of the test. It returns the host:port that serves HTTP and WebSocket. If
// web/node_modules has no anvil, Anvil skips the test, or fails it if MINTBURN_REQUIRE_ALL
// is set.
func Anvil(t testing.TB, args ...string) string {
	t.Helper()
	binary := above(t, "web", "node_modules", "@foundry-rs", "anvil-linux-amd64", "bin", "anvil")
	if binary == "" {
		Absent(t, "anvil is absent: run npm ci in web")
	}
	command := exec.Command(binary, append([]string{"--host", "127.0.0.1", "--port", "0"}, args...)...)
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	command.Stderr = &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		// Anvil prints this when it is ready.
		if _, address, ok := strings.Cut(lines.Text(), "Listening on "); ok {
			// Drain further output so that anvil does not block.
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return strings.TrimSpace(address)
		}
	}
	// Wait first: only then is stderr complete.
	_ = command.Process.Kill()
	_ = command.Wait()
	t.Fatalf("anvil exited before it was ready: %s", said.String())
	return ""
}
