package store

import "mintburn/internal/apierror"

// Check returns an error for invalid values, and for combinations without an index.
func (f *Filter) Check() error {
	got := f.selectors()
	ranged, accepted := isAccepted[got]
	switch {
	case !accepted:
		return apierror.Errorf(apierror.BadUserInput, "%s", refusal(got))
	case f.ranged() && !ranged:
		return apierror.Errorf(apierror.BadUserInput, "%s can't be combined with %s: want one or the other", got, f.bounds())
	case f.FromBlock != nil && f.ToBlock != nil && *f.FromBlock > *f.ToBlock:
		return apierror.Errorf(apierror.BadUserInput, "fromBlock: got %d, want at most toBlock, which is %d", *f.FromBlock, *f.ToBlock)
	case f.FromTime != nil && f.ToTime != nil && *f.FromTime > *f.ToTime:
		return apierror.Errorf(apierror.BadUserInput, "fromTime: got %d, want Unix seconds up to toTime, which is %d", *f.FromTime, *f.ToTime)
	case f.Finality != "" && f.Finality != Latest && f.Finality != Finalized:
		return apierror.Errorf(apierror.BadUserInput, "unknown finality: want LATEST or FINALIZED")
	case f.Order != "" && f.Order != Asc && f.Order != Desc:
		return apierror.Errorf(apierror.BadUserInput, "unknown order: want ASC or DESC")
	}
	if n := f.size(); n > apierror.MaxValues {
		return apierror.TooManyValues((f.selectors() & argLists).String(), n)
	}
	return nil
}
