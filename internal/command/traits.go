package command

import (
	"context"

	"mintburn/internal/command/process"
	"mintburn/internal/store/write"
)

// countTraits counts the tokens of traits after an upgrade, in small steps. It does nothing if
// they are counted.
func countTraits(ctx context.Context, e *process.Env, s *write.DB) error {
	for steps := 0; ; steps++ {
		done, err := write.CountTraits(ctx, s)
		switch {
		case err != nil:
			return err
		case done && steps > 0:
			e.Log.Info("the tokens of all traits are counted")
		case steps == 0 && !done:
			e.Log.Info("counting the tokens of traits")
		}
		if done {
			return nil
		}
	}
}
