package process

import (
	"io"
	"io/fs"
	"time"

	"mintburn/internal/command/console"
)

// Env is the part of the outside world that a command may use.
type Env struct {
	// Files are the files of the repository that /docs shows.
	Files fs.FS
	// Args are the program's arguments, Command is the name of the command.
	Args    []string
	Command string
	// Endless is true for a command that runs until it is stopped.
	Endless        bool
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	console.Console
	Events *Events
	// Now is the clock for times that are stored or shown.
	Now func() time.Time
}
