package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mintburn/internal/chain/jsonrpc"
	"mintburn/internal/chain/jsonrpc/rpcerror"
	"mintburn/internal/command/console"
	"mintburn/internal/command/flags"
	"mintburn/internal/command/following"
	"mintburn/internal/command/opening"
	"mintburn/internal/command/process"
	"mintburn/internal/evm"
	"mintburn/internal/indexer"
	"mintburn/internal/nft"
	"mintburn/internal/store/check"
	"mintburn/internal/store/proof"
	"mintburn/internal/store/read"
	"mintburn/internal/store/write"
)

type verifyCommand struct {
	opening.Opening
	following.Decoding
	following.Nodes
	following.Proving
	repair
	FromBlock *uint64 `help:"First block to verify. Default: the first indexed block." placeholder:"N"`
	ToBlock   *uint64 `help:"Last block to verify. Default: the last indexed block." placeholder:"N"`
}

// Validate checks constraints that the flag types cannot express.
func (c *verifyCommand) Validate() error {
	return cmp.Or(c.Opening.Check(), flags.CheckBlocks(c.FromBlock, c.ToBlock), c.Require())
}

// Run proves the indexed blocks against the chain. Without bounds it also compares
// counters, counts and coverage with the records, as check does.
func (c *verifyCommand) Run(ctx context.Context, e *process.Env) (err error) {
	s, err := c.Read(ctx, e, write.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	settings := s.Settings().Unstored()
	decoder, err := c.Bind(ctx, e, settings, nil)
	if err != nil {
		return err
	}
	o := jsonrpc.Options{Final: s.FinalBlock, AcceptUnprovable: c.Unprovable}
	if o.Transactions, err = c.Details(ctx, settings, decoder); err != nil {
		return err
	}
	if c.Repair {
		settings = s.Settings()
	}
	client, err := c.Dial(ctx, e, s, settings, o, false)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err = c.Bind(ctx, e, settings, nil); err == nil {
		_, err = c.Details(ctx, settings, decoder)
	}
	if err != nil {
		return err
	}
	ranges, err := c.ranges(ctx, s)
	if err != nil {
		return err
	}
	found, err := c.verify(ctx, e, s, client, decoder, ranges)
	if err != nil {
		return err
	}
	if o.Transactions != nil {
		if err := reportDetails(ctx, e, s, ranges); err != nil {
			return process.Unfinished(ctx, err, process.Again)
		}
	}
	derived, err := c.checkDerived(ctx, e, s)
	if err != nil {
		return process.Unfinished(ctx, err, "every block is verified; to continue, run mintburn check")
	}
	also := ""
	if derived.Left > 0 {
		also = fmt.Sprintf("; %d more in counters, counts and coverage", derived.Left)
	}
	unprovable := uint64(0)
	for _, r := range found.Unprovable {
		unprovable += r.To - r.From + 1
	}
	blocks := fmt.Sprintf("in %s: %d proved, %d not provable, %d differing", console.Count(found.Proved+unprovable+found.Differing, "block"), found.Proved, unprovable, found.Differing)
	switch {
	case found.Repaired < found.Differences && c.Repair:
		return fmt.Errorf("repaired %d of %s %s; sync replaces the differing blocks, which are on another branch%s", found.Repaired, console.Count(found.Differences, "difference"), blocks, also)
	case found.Repaired < found.Differences, derived.Left > 0, unprovable > 0:
		return fmt.Errorf("%s %s%s", console.Count(found.Differences-found.Repaired, "difference"), blocks, also)
	}
	if derived.Differences > 0 {
		fmt.Fprintf(e.Stdout, "Repaired %s in counters, counts and coverage.\n", console.Count(derived.Differences, "difference"))
	}
	if found.Differences > 0 {
		fmt.Fprintf(e.Stdout, "Repaired %s in %s.\n", console.Count(found.Differences, "difference"), console.Count(found.Proved, "block"))
		return nil
	}
	fmt.Fprintf(e.Stdout, "Verified %s: every receipts root was rebuilt, and every record is on the chain.\n", console.Count(found.Proved, "block"))
	return nil
}

// reportDetails prints how many transactions with records in these ranges have no details.
func reportDetails(ctx context.Context, e *process.Env, s *write.DB, ranges []evm.Range) error {
	sum := int64(0)
	for _, r := range ranges {
		n, err := proof.Of(s).WithoutDetails(ctx, r)
		if err != nil {
			return err
		}
		sum += n
	}
	if sum > 0 {
		fmt.Fprintf(e.Stdout, "%s without details: the block does not list them, or was indexed without --transactions.\n", console.Count(sum, "transaction"))
	}
	return nil
}

// checkDerived compares counters, counts and coverage with the records, unless only
// some blocks are verified.
func (c *verifyCommand) checkDerived(ctx context.Context, e *process.Env, s *write.DB) (check.Result, error) {
	if c.FromBlock != nil || c.ToBlock != nil {
		return check.Result{}, nil
	}
	return checkStore(ctx, e, s, c.Repair)
}

// verify proves ranges of blocks.
func (c *verifyCommand) verify(ctx context.Context, e *process.Env, s *write.DB, client *jsonrpc.Client, decoder *nft.Decoder, ranges []evm.Range,
) (found indexer.Outcome, err error) {
	progress := following.NewIndexed(e, false)
	defer progress.Progress.Stop()
	records := proof.Of(s)
	records.Transactions, records.Repairs = c.Decoding.Transactions != nil && *c.Decoding.Transactions, c.Repair
	verifier := &indexer.Verifier{
		Prover: client, Records: records, Decoder: decoder, Workers: 8, Unprovable: following.ReasonUnprovable,
		Report: func(difference string) { fmt.Fprintln(e.Stdout, evm.Printable(difference)) },
	}
	if c.Repair {
		lead := opening.Leading(ctx, e, s)
		verifier.Repair = func(ctx context.Context, blocks []nft.Block) error {
			if err := lead(); err != nil {
				return err
			}
			return proof.Of(s).Repair(ctx, blocks)
		}
	}
	verifier.Progress = progress.Add
	for _, r := range ranges {
		in, err := verifier.Verify(ctx, r)
		found.Proved, found.Differing = found.Proved+in.Proved, found.Differing+in.Differing
		found.Differences, found.Repaired = found.Differences+in.Differences, found.Repaired+in.Repaired
		found.Unprovable = append(found.Unprovable, in.Unprovable...)
		if errors.Is(err, rpcerror.ErrMismatch) && len(c.RPC) == 1 {
			err = fmt.Errorf("%w; if the chain differs from Ethereum, give a second --rpc that agrees, or --unprovable", err)
		} else if err != nil && ctx.Err() == nil && !read.IsLost(err) {
			err = fmt.Errorf("%w; to continue, run it again with --from-block %d, or with another --rpc", err, in.Next)
		}
		if err != nil {
			return found, process.Unfinished(ctx, err, fmt.Sprintf("%s so far; to continue, run it again with --from-block %d", console.Count(found.Differences, "difference"), in.Next))
		}
	}
	return found, nil
}

// ranges returns the indexed ranges within --from-block and --to-block. It fails if a given
// bound is not indexed or, with both bounds, a block between them is not.
func (c *verifyCommand) ranges(ctx context.Context, s *write.DB) ([]evm.Range, error) {
	indexed, err := s.Indexed(ctx)
	if err != nil {
		return nil, err
	}
	if len(indexed) == 0 {
		return nil, errors.New("nothing is indexed yet")
	}
	from, to := indexed[0].From, indexed[len(indexed)-1].To
	if c.FromBlock != nil {
		from = *c.FromBlock
	}
	if c.ToBlock != nil {
		to = *c.ToBlock
	}
	var wanted []evm.Range
	for _, r := range indexed {
		r = evm.Range{From: max(r.From, from), To: min(r.To, to)}
		if r.From <= r.To {
			wanted = append(wanted, r)
		}
	}
	if len(wanted) == 0 || c.FromBlock != nil && wanted[0].From != from || c.ToBlock != nil && wanted[len(wanted)-1].To != to ||
		c.FromBlock != nil && c.ToBlock != nil && len(wanted) > 1 {
		return nil, fmt.Errorf("not every block from %d to %d is indexed, only %v", from, to, indexed)
	}
	return wanted, nil
}
