package feed

import (
	"bytes"
	"slices"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/store"
	"mintburn/internal/store/cursor"
)

// Filter selects changes. A nil field does not filter; an empty list selects nothing.
type Filter struct {
	// Addresses narrow records and documents to collections, Accounts records to receivers of
	// mints and senders of burns: at most [apierror.MaxValues] each.
	Addresses, Accounts []evm.Address
	// Kinds narrow the kinds; [Added] includes [Voided]. [Metadata] can't be combined with
	// Accounts, and is left out with them by default.
	Kinds []Kind
}

// check returns an error for invalid values.
func (f *Filter) check() error {
	for name, list := range map[string][]evm.Address{"addresses": f.Addresses, "accounts": f.Accounts} {
		if len(list) > apierror.MaxValues {
			return apierror.TooManyValues(name, len(list))
		}
	}
	if f.Accounts != nil && slices.Contains(f.Kinds, Metadata) {
		return apierror.Errorf(apierror.BadUserInput, "kinds: METADATA can't be combined with accounts: want addresses, or other kinds")
	}
	return nil
}

// wants reports whether changes of a kind are selected.
func (f *Filter) wants(kind Kind) bool {
	switch {
	case f.Kinds == nil:
		return kind != Metadata || f.Accounts == nil
	case kind == Voided && slices.Contains(f.Kinds, Added):
		return true
	}
	return slices.Contains(f.Kinds, kind)
}

// records returns the filter of the records, with the list whose index is read, if any.
func (f *Filter) records() store.Filter {
	if f.Addresses != nil {
		return store.Filter{Addresses: set(f.Addresses)}
	}
	return store.Filter{Accounts: set(f.Accounts)}
}

// fingerprint identifies the filter within a cursor.
func (f *Filter) fingerprint() uint64 {
	b := []byte("changes")
	for i, list := range [][]evm.Address{f.Addresses, f.Accounts} {
		if list != nil {
			b = append(b, byte(i), 0)
		}
		for _, a := range set(list) {
			b = append(append(b, byte(i), 1), a[:]...)
		}
	}
	for _, kind := range [...]Kind{Added, Voided, Finalized, Metadata} {
		if f.wants(kind) {
			b = append(b, kind[0])
		}
	}
	return cursor.Fingerprint(b)
}

// set returns a sorted copy of a list without duplicates.
func set(list []evm.Address) []evm.Address {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b evm.Address) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(list)
}
