package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// commandLine holds all commands. The first one starts those that serve.
type commandLine struct {
	Run    runCommand    `cmd:"" default:"withargs" help:"Measure the contestants on all workloads."`
	Import importCommand `cmd:"" help:"Measure an import alone, and how it slows down as the database grows."`
	Scale  scaleCommand  `cmd:"" help:"Measure our server alone on databases of several sizes, in turn."`
	Cores  coresCommand  `cmd:"" help:"Measure our server on 1, 2, 4 and so on processors of this machine."`
	Record recordCommand `cmd:"" help:"Print an import file with documents of tokens and collections."`
	Views  viewsCommand  `cmd:"" help:"Make a database for looking at Explore: 700,000 mints in 276 collections."`
	Abuse  abuseCommand  `cmd:"" help:"Send abusive requests to our server, and measure their cost for it and for another client."`
	Attack attackCommand `cmd:"" hidden:"" help:"Send requests from one client."`
	Static staticCommand `cmd:"" hidden:"" help:"Serve fixed answers."`
	Hand   handCommand   `cmd:"" hidden:"" help:"Serve a database with a hand-written handler."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var line commandLine
	command := kong.Parse(&line, kong.Name("bench"), kong.Description("Measures mintburn against others on one machine in one run."))
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
