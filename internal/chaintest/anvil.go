package chaintest

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Anvil starts anvil on a free port of the loopback interface with further
// arguments, and returns host:port, where it serves HTTP and WebSocket. It is
// stopped at the end of the test. Where web/node_modules does not hold it the
// test is skipped, or fails when MINTBURN_REQUIRE_ALL is set.
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
		// It says this when it answers.
		if _, address, ok := strings.Cut(lines.Text(), "Listening on "); ok {
			// Nobody reads what it prints later: it must not block on it.
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return strings.TrimSpace(address)
		}
	}
	// What it said is complete only when it has been waited for.
	_ = command.Process.Kill()
	_ = command.Wait()
	t.Fatalf("anvil ended before it listened: %s", said.String())
	return ""
}
