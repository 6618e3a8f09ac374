package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A side is one of the two programs, with its database and server.
type side struct {
	program string
	// folder is where its commands run, and contains its SQLite database.
	folder string
	// db is the value of --db, url the address of the server, start the cursor of the change
	// feed before the import, and page the cursor of the page before.
	db, url, start, page string
}

// own replaces the names of this side's values in a text: "{DB}", "{START}" and "{PAGE}".
func (s *side) own(text string) string {
	return strings.NewReplacer("{DB}", s.db, "{START}", s.start, "%7BSTART%7D", s.start, "{PAGE}", s.page).Replace(text)
}

// A call is a command of the program.
type call struct {
	args, env []string
	stdin     string
}

// process returns a command that gets nothing of this process's environment.
func (s *side) process(ctx context.Context, args []string) *exec.Cmd {
	command := exec.CommandContext(ctx, s.program)
	for _, arg := range args {
		command.Args = append(command.Args, s.own(arg))
	}
	command.Dir, command.Env = s.folder, []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	return command
}

// command returns a command's exit code, errors and output, as one text.
func (s *side) command(ctx context.Context, c call) []byte {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	command := s.process(ctx, c.args)
	command.Env = append(command.Env, c.env...)
	command.Stdin = strings.NewReader(c.stdin)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		return []byte(err.Error())
	}
	return fmt.Appendf(nil, "%d exit code\n-- stderr --\n%s-- stdout --\n%s", command.ProcessState.ExitCode(), stderr.Bytes(), stdout.Bytes())
}

// listening matches the address of a server in its output.
var listening = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serve starts a server and returns when it has printed its address. stop ends it.
func (s *side) serve(ctx context.Context, line string) (stop func(), err error) {
	command := s.process(ctx, strings.Fields(line))
	in, out := io.Pipe()
	command.Stdout, command.Stderr = out, out
	if err := command.Start(); err != nil {
		return nil, err
	}
	var running sync.WaitGroup
	running.Go(func() { _ = out.CloseWithError(command.Wait()) })
	stop = func() {
		_ = command.Process.Signal(syscall.SIGTERM)
		running.Wait()
	}
	lines, said := bufio.NewScanner(in), ""
	for lines.Scan() {
		if s.url = listening.FindString(lines.Text()); s.url != "" {
			break
		}
		said += lines.Text() + "\n"
	}
	// A server must not wait for someone to read its log.
	running.Go(func() { _, _ = io.Copy(io.Discard, in) })
	if s.url == "" {
		stop()
		return nil, fmt.Errorf("%s does not serve: %s", s.program, said)
	}
	return stop, nil
}

// longest is how long a command or an answer may take, in which a large database is exported.
const longest = 15 * time.Minute

// A request is sent to both servers.
type request struct {
	// method is GET unless set, or POST with a body.
	method, path, body string
	// header lists names and values in turn.
	header []string
}

// ask returns the status, the headers and the body of a server's answer, as one text, or
// the error. The header Host, which occurs in answers, is the same for both servers.
func (s *side) ask(ctx context.Context, r request) []byte {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if r.method == "" {
		r.method = http.MethodGet
		if r.body != "" {
			r.method = http.MethodPost
		}
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, s.url+s.own(r.path), strings.NewReader(s.own(r.body)))
	if err != nil {
		return []byte(err.Error())
	}
	sent.Host = "compare.example"
	if r.body != "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(r.header); i += 2 {
		sent.Header.Set(r.header[i], r.header[i+1])
	}
	// The transport returns redirects and compressed bodies unchanged.
	got, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(sent)
	if err != nil {
		return []byte(err.Error())
	}
	defer got.Body.Close()
	answer := bytes.NewBufferString(got.Status + "\n")
	// Lengths follow from the bodies, which are compared themselves. The other two are new each time.
	_ = got.Header.WriteSubset(answer, map[string]bool{"Content-Length": true, "Date": true, "X-Request-Id": true})
	answer.WriteByte('\n')
	if _, err := answer.ReadFrom(got.Body); err != nil {
		return []byte(err.Error())
	}
	return answer.Bytes()
}
