//go:build linux

package command

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"mintburn/internal/command/console"
	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

// screen records what appears on a pseudoterminal or in a log.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// openTerminal returns a pseudoterminal of 80 columns, and what is shown on it.
func openTerminal(t *testing.T) (*os.File, *screen) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals: ", err)
	}
	control := func(request uintptr, value unsafe.Pointer) {
		_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(value))
		if failed != 0 {
			t.Fatal(failed)
		}
	}
	var number, unlocked int32
	size := [4]uint16{24, 80}
	control(syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	control(syscall.TIOCGPTN, unsafe.Pointer(&number))
	control(syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	expect.NoError(t, err)
	shown, ended := &screen{}, make(chan struct{})
	go func() {
		defer close(ended)
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			_, _ = shown.Write(buffer[:n])
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = slave.Close()
		<-ended
		_ = master.Close()
	})
	return slave, shown
}

// await waits until the screen has text that matches.
func (s *screen) await(t *testing.T, pattern string) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for until := time.After(time.Minute); !regexp.MustCompile(pattern).MatchString(s.String()); {
		select {
		case <-tick.C:
		case <-until:
			t.Fatalf("no %s in %q", pattern, s)
		}
	}
}

// TestStatus follows a chain with and without a terminal, from the beginning and from the head.
func TestStatus(t *testing.T) {
	t.Parallel()
	node := chaintest.NewNode(t, chaintest.NodeOptions{})
	contents := chaintest.Default()
	contents.Blocks, contents.Records = 300, 4
	node.Generate(contents)
	db := opening.Opening{Location: opening.Location{Name: opening.Name{DB: filepath.Join(t.TempDir(), "status.db")}}}
	head := 300
	for _, tty := range []bool{true, false, true, false} {
		shown := &screen{}
		e := &process.Env{Stdout: &screen{}, Stderr: shown, Endless: true, Console: console.Console{Every: 5 * time.Millisecond}, Events: process.NewEvents(), Now: time.Now}
		e.Log = slog.New(slog.NewTextHandler(shown, nil))
		if tty {
			var stderr *os.File
			stderr, shown = openTerminal(t)
			e.Stderr, e.Terminal = stderr, console.NewTerminal(stderr)
			e.Log = slog.New(slog.NewTextHandler(e.Terminal, nil))
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		follower := &syncCommand{Opening: db, Following: following.Following{Nodes: following.Nodes{RPC: []string{node.URL}}, ReceiptsDepth: 100, HeaderDepth: 1000, Poll: new(time.Millisecond), Audit: "off"}}
		go func() { ended <- follower.Run(ctx, e) }()
		caughtUp, status := `msg="caught up" block=%d`, `msg=following block=%d lag=\S+ mints_last_minute=[1-9]\d* documents_waiting=\d+ documents_failed=0 reorgs=0\n`
		if tty {
			caughtUp, status = "caught up at block %d\r\n", `head %d, lag \S+, [1-9]\d* mints/min, documents: \d+ waiting, 0 failed, `
		}
		shown.await(t, fmt.Sprintf(caughtUp, head))
		contents.Blocks = 7
		node.Generate(contents)
		head += 7
		shown.await(t, fmt.Sprintf(status, head))
		if tty {
			e.Log.Warn("a line")
			shown.await(t, `msg="a line"\r\n`+fmt.Sprintf(status, head))
		}
		stop()
		<-ended
		text := shown.String()
		_, after, _ := strings.Cut(text, "caught up")
		if strings.Contains(after, "caught up") || regexp.MustCompile(`100 ?%|percent=|msg=progress|NaN|-\d+[ms]|msg=following.*\x1b`).MatchString(after) {
			t.Errorf("after the head: %q", after)
		}
		for _, line := range regexp.MustCompile(`\r\n|\r|\x1b\[K`).Split(text, -1) {
			if tty && len([]rune(line)) > 80 && !strings.HasPrefix(line, "time=") {
				t.Errorf("a line of %d columns: %q", len([]rune(line)), line)
			}
		}
	}
}
