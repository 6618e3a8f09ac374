package counter

import (
	"bytes"
	"encoding/binary"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// Filter selects the records of one scope. Nil does not filter. The values may be
// none, Contract, Account, both, or Contract and Token.
type Filter struct {
	Kind nft.Kind
	// Account received a mint or sent a burn.
	Account *evm.Address
	// Contract is the number of a collection, Token a token of it.
	Contract *int64
	Token    *evm.Uint256
}

// Scope is the name of a filter in the database: the kind, the sort of filter,
// its values.
type Scope []byte

// The sorts of filters.
const (
	sortAll             = '*'
	sortContract        = 'c'
	sortAccount         = 'a'
	sortAccountContract = 'b'
	sortToken           = 't'
)

func (f Filter) sort() byte {
	switch {
	case f.Token != nil:
		return sortToken
	case f.Account != nil && f.Contract != nil:
		return sortAccountContract
	case f.Account != nil:
		return sortAccount
	case f.Contract != nil:
		return sortContract
	}
	return sortAll
}

// Scope returns the filter's name.
func (f Filter) Scope() Scope {
	s := append(make(Scope, 0, 2+20+8+33), byte(f.Kind), f.sort())
	if f.Account != nil {
		s = append(s, f.Account[:]...)
	}
	if f.Contract != nil {
		s = binary.BigEndian.AppendUint64(s, uint64(*f.Contract))
	}
	if f.Token != nil {
		s = append(s, f.Token.Bytes()...)
	}
	return s
}

// Filter is the inverse of [Filter.Scope]. It returns false for a name that is
// none.
func (s Scope) Filter() (f Filter, ok bool) {
	if len(s) < 2 || s[0] > byte(nft.Burn) || bytes.IndexByte([]byte{sortAll, sortContract, sortAccount, sortAccountContract, sortToken}, s[1]) < 0 {
		return f, false
	}
	f.Kind = nft.Kind(s[0])
	sort, rest := s[1], s[2:]
	if sort == sortAccount || sort == sortAccountContract {
		if len(rest) < 20 {
			return f, false
		}
		account := evm.Address(rest[:20])
		f.Account, rest = &account, rest[20:]
	}
	if sort != sortAll && sort != sortAccount {
		if len(rest) < 8 {
			return f, false
		}
		contract := int64(binary.BigEndian.Uint64(rest))
		f.Contract, rest = &contract, rest[8:]
	}
	if sort == sortToken {
		f.Token = new(evm.Uint256)
		return f, f.Token.Scan([]byte(rest)) == nil
	}
	return f, len(rest) == 0
}

// whole returns the scope that s is a part of: the account's of an account in a
// collection, the collection's of a token, nil for the others.
func (s Scope) whole() Scope {
	f, ok := s.Filter()
	switch {
	case !ok || f.Contract == nil:
		return nil
	case f.Account != nil:
		f.Contract = nil
	case f.Token != nil:
		f.Token = nil
	default:
		return nil
	}
	return f.Scope()
}
