package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"entgo.io/ent/dialect"

	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/command/state"
	"mintburn/internal/store/document"
	"mintburn/internal/store/lease"
	"mintburn/internal/store/write"
)

type statusCommand struct {
	opening.Name
	MaxLag time.Duration `help:"Fail (/readyz: 503; status: exit 1) while the last indexed block is older than this. Default: no limit." placeholder:"DURATION"`
	JSON   bool          `help:"Print one JSON object." name:"json"`
}

// Help implements kong.HelpProvider.
func (*statusCommand) Help() string {
	return fmt.Sprintf("Reads the database, also beside a running server, and changes nothing. Exits with 1 if no process follows the chain, if nothing is indexed, or if the last indexed block is over %d blocks below the head of the nodes.", following.NearHead)
}

// Validate checks constraints that the flag types cannot express.
func (c *statusCommand) Validate() error {
	return cmp.Or(c.Name.Validate(), flags.NotNegative("--max-lag", c.MaxLag))
}

// report is what status prints. Sizes are in bytes, times in Unix seconds.
type report struct {
	Database struct {
		Kind          string `json:"kind"`
		Size          int64  `json:"size"`
		SchemaVersion int64  `json:"schema_version"`
		Mints         int64  `json:"mints"`
		Burns         int64  `json:"burns"`
		RejectedLogs  int64  `json:"rejected_logs"`
	} `json:"database"`
	ChainID        *uint64 `json:"chain_id"`
	Head           *uint64 `json:"head_block"`
	HeadTime       *uint64 `json:"head_time"`
	LagSeconds     *int64  `json:"lag_seconds"`
	LagBlocks      *uint64 `json:"lag_blocks"`
	FinalizedBlock *uint64 `json:"finalized_block"`
	GapBlocks      uint64  `json:"gap_blocks"`
	Following      bool    `json:"following"`
	Follower       string  `json:"follower"`
	FollowingSince string  `json:"following_since"`
	Nodes          []node  `json:"nodes"`
	DueTokens      int     `json:"due_tokens"`
	FailedTokens   int64   `json:"failed_tokens"`
	Disk           *disk   `json:"disk"`
	Problem        string  `json:"problem"`
}

// node is the last report of the follower on a node.
type node struct {
	URL        string `json:"url"`
	Healthy    bool   `json:"healthy"`
	Head       uint64 `json:"head_block"`
	FirstBlock uint64 `json:"first_block"`
	LatencyMS  uint64 `json:"latency_ms"`
	LastError  string `json:"last_error"`
}

// disk is the file system of a SQLite database.
type disk struct {
	Free uint64 `json:"free"`
	Size uint64 `json:"size"`
}

// Run prints the state of the data, of each chain if there are several. It fails if no process
// follows the chain, or if the last indexed block lags.
func (c *statusCommand) Run(ctx context.Context, e *process.Env, parse parsing, chains *flags.Chains) error {
	if chains.Names == nil {
		r, problem, err := c.read(ctx, e)
		if err == nil {
			err = c.print(e.Stdout, r, func(w io.Writer) { r.print(w, "") })
		}
		return cmp.Or(err, problem)
	}
	reports := map[string]report{}
	var failed error
	for _, name := range chains.Names {
		command, err := parse.forChain(e.Args, chains, name)
		if err != nil {
			return err
		}
		r, problem, err := command.(*statusCommand).read(ctx, e)
		if err == nil {
			reports[name] = r
		}
		if err = cmp.Or(err, problem); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return cmp.Or(c.print(e.Stdout, reports, func(w io.Writer) {
		for _, name := range chains.Names {
			if r, ok := reports[name]; ok {
				r.print(w, name+"\t")
			}
		}
	}), failed)
}

// print writes reports as text or, with --json, as an object.
func (c *statusCommand) print(out io.Writer, object any, text func(io.Writer)) error {
	if c.JSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(object)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	text(w)
	return w.Flush()
}

// read reads the state of the data. problem is why the command fails, or nil.
func (c *statusCommand) read(ctx context.Context, e *process.Env) (r report, problem, err error) {
	ctx, cancel := context.WithTimeout(ctx, state.ScrapeTime)
	defer cancel()
	s, err := c.Inspect(ctx)
	if err != nil {
		return r, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return c.report(ctx, s, e.Now())
}

// report is read of an open database.
func (c *statusCommand) report(ctx context.Context, s *write.DB, now time.Time) (r report, problem, err error) {
	if r.Database.Size, _, err = s.Database.Size(ctx); err != nil {
		return r, nil, err
	}
	snapshot := s.Snapshot()
	defer snapshot.End(&err)
	data, err := state.Of(ctx, snapshot, now)
	if err == nil {
		r.FailedTokens, err = document.FailedDocuments(ctx, snapshot)
	}
	if err != nil {
		return r, nil, err
	}
	r.Database.Kind = kindOf(s)
	r.Database.SchemaVersion = s.Schema().Version
	r.Database.Mints, r.Database.Burns, r.Database.RejectedLogs = data.Mints, data.Burns, data.Rejected
	r.ChainID, r.DueTokens, r.GapBlocks = data.ID, data.Due, uint64(data.GapBlocks())
	if data.Head != nil {
		r.Head, r.HeadTime, r.LagSeconds = &data.Head.Number, &data.Head.Time, new(int64(state.Age(data.Head, now).Seconds()))
	}
	if data.Finalized != nil {
		r.FinalizedBlock = &data.Finalized.Number
	}
	r.Following = data.Term.Live
	r.Follower, r.FollowingSince, _ = strings.Cut(data.Term.Holder, lease.Since)
	highest, answers := uint64(0), false
	r.Nodes = []node{}
	for _, e := range data.Nodes {
		r.Nodes = append(r.Nodes, node{e.URL, e.Healthy, e.Head, e.FirstBlock, e.LatencyMS, e.LastError})
		highest, answers = max(highest, e.Head), answers || e.Healthy
	}
	// That the last head of nodes which do not answer is indexed says nothing.
	if data.Head != nil && highest > 0 && (answers || highest > data.Head.Number) {
		r.LagBlocks = new(highest - min(highest, data.Head.Number))
	}
	if free, size, known := state.DiskOf(s.Database.File()); known {
		r.Disk = &disk{uint64(free), uint64(size)}
	}
	switch problem = state.TooOld(data.Chain, now, c.MaxLag); {
	case !data.Term.Live:
		problem = errors.New("no process follows the chain: run mintburn serve --rpc or mintburn sync")
	case problem == nil && r.LagBlocks != nil && *r.LagBlocks > following.NearHead:
		problem = fmt.Errorf("the last indexed block is %s below the head of the nodes", console.Count(*r.LagBlocks, "block"))
	}
	if problem != nil {
		r.Problem = problem.Error()
	}
	return r, problem, nil
}

// kindOf returns the name of the database for users.
func kindOf(s *write.DB) string {
	if s.Database.Dialect() == dialect.Postgres {
		return "PostgreSQL"
	}
	return "SQLite"
}

// print writes the report as text, each line after prefix, with tabs between columns.
func (r *report) print(w io.Writer, prefix string) {
	line := func(name, format string, args ...any) { fmt.Fprintf(w, prefix+name+"\t"+format+"\n", args...) }
	d := r.Database
	line("database", "%s, %s, schema version %d", d.Kind, bytesOf(uint64(d.Size)), d.SchemaVersion)
	line("records", "%s, %s, %s, %s left out", console.Count(d.Mints, "mint"), console.Count(d.Burns, "burn"), console.Count(d.RejectedLogs, "rejected log"), console.Count(r.GapBlocks, "block"))
	if r.Head != nil {
		line("head", "block %d of %s", *r.Head, time.Unix(int64(*r.HeadTime), 0).UTC().Format(time.RFC3339))
		lag := time.Duration(*r.LagSeconds * int64(time.Second)).String()
		if r.LagBlocks != nil {
			lag += ", " + console.Count(*r.LagBlocks, "block") + " below the nodes"
		}
		line("lag", "%s", lag)
	}
	switch {
	case r.Following && r.FollowingSince != "":
		line("follower", "%s, since %s", r.Follower, r.FollowingSince)
	case r.Following:
		line("follower", "%s", r.Follower)
	default:
		line("follower", "none")
	}
	for _, n := range r.Nodes {
		state := "in use"
		if !n.Healthy {
			state = "not in use"
		}
		text := fmt.Sprintf("%s: %s, block %d, %d ms", n.URL, state, n.Head, n.LatencyMS)
		if n.FirstBlock > 0 {
			text += fmt.Sprintf(", from block %d on", n.FirstBlock)
		}
		if n.LastError != "" {
			text += ", last error: " + n.LastError
		}
		line("node", "%s", text)
	}
	line("documents", "%d due, %d failed", r.DueTokens, r.FailedTokens)
	if r.Disk != nil {
		line("disk", "%s of %s free", bytesOf(r.Disk.Free), bytesOf(r.Disk.Size))
	}
}

// bytesOf formats a size with a binary unit.
func bytesOf(n uint64) string {
	size, unit := float64(n), ""
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if size < 1024 {
			break
		}
		size, unit = size/1024, next
	}
	if unit == "" {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}
