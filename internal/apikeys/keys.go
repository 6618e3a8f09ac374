package apikeys

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintburn/internal/evm"
)

// Bounds of a key file, in bytes and keys, and of a key, in bytes.
const (
	MaxFile   = 16 << 20
	MaxKeys   = 100_000
	maxSecret = 256
	// maxCost bounds the quota and the cost in a line.
	maxCost = 1 << 30
)

// Key is an API key, without the secret.
type Key struct {
	// Name identifies the key to people: 1 to 64 letters, digits and . _ @ -.
	Name string
	// Hash is the SHA-256 of the secret.
	Hash [sha256.Size]byte
	// Expires is when the key becomes invalid. The zero time means never.
	Expires time.Time
	// Quota is the cost that the key may spend per minute. 0 is unlimited, nil is the
	// server's quota.
	Quota *int
	// MaxCost is the highest cost of a request. 0 is the server's limit.
	MaxCost int
	// Chains are the names of the chains that the key may use, of which a server may know none.
	// nil is all chains.
	Chains []string
}

// Set is an immutable set of keys. The zero value is empty.
type Set struct{ byHash map[[sha256.Size]byte]*Key }

// Len returns the number of keys, expired ones included.
func (s *Set) Len() int { return len(s.byHash) }

// Find returns the key with a secret, or nil if there is none or it has expired at now.
func (s *Set) Find(secret string, now time.Time) *Key {
	if len(secret) > maxSecret {
		return nil
	}
	return s.find(sha256.Sum256([]byte(secret)), now)
}

// Current returns the set's key with the secret of a key of an earlier set, or nil if there is none
// or it has expired at now.
func (s *Set) Current(key *Key, now time.Time) *Key { return s.find(key.Hash, now) }

func (s *Set) find(hash [sha256.Size]byte, now time.Time) *Key {
	key := s.byHash[hash]
	if key == nil || !key.Expires.IsZero() && !now.Before(key.Expires) {
		return nil
	}
	return key
}

// Generate returns a new secret: mintburn_ and 256 bits of random in hex.
func Generate(random io.Reader) (secret string, err error) {
	var bits [32]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", fmt.Errorf("reading random bits: %w", err)
	}
	return "mintburn_" + hex.EncodeToString(bits[:]), nil
}

// hashPrefix begins the hash of a line.
const hashPrefix = "sha256:"

// Line returns the line of a key file for a secret, without a newline. It fails for a
// name that [Key] does not allow.
func Line(name, secret string) (string, error) {
	if !validName.MatchString(name) {
		return "", errName
	}
	sum := sha256.Sum256([]byte(secret))
	return name + " " + hashPrefix + hex.EncodeToString(sum[:]), nil
}

var (
	validName = regexp.MustCompile(`^[A-Za-z0-9._@-]{1,64}$`)
	errName   = errors.New("name: want 1 to 64 letters, digits and . _ @ -")
)

// Parse reads a key file. Each line is a key, NAME sha256:HEX, optionally followed by
// quota=N, max-cost=N, expires=TIME and chains=NAME,NAME. Lines that are empty or begin with # are comments.
//
// Parse fails for more than [MaxFile] bytes or [MaxKeys] keys, and for duplicate names and
// keys. It also fails for a file that is empty or whose last line has no newline, because
// the file is not completely written yet. Errors name lines and never repeat them, because
// a line may contain a secret by mistake.
func Parse(text []byte) (*Set, error) {
	switch {
	case len(text) > MaxFile:
		return nil, fmt.Errorf("want at most %d bytes", MaxFile)
	case len(text) == 0 || text[len(text)-1] != '\n':
		return nil, errors.New("the last line has no newline: want a complete file, or a comment line if there are no keys")
	}
	s, names := &Set{map[[sha256.Size]byte]*Key{}}, map[string]bool{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		fields := strings.Fields(string(line))
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		key, err := parseKey(fields)
		switch {
		case err != nil:
		case names[key.Name]:
			err = fmt.Errorf("name: %s occurs twice, want each name once", key.Name)
		case s.byHash[key.Hash] != nil:
			err = fmt.Errorf("%s has the same key as %s: want each key once", key.Name, s.byHash[key.Hash].Name)
		case len(names) == MaxKeys:
			err = fmt.Errorf("want at most %d keys", MaxKeys)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		names[key.Name], s.byHash[key.Hash] = true, key
	}
	return s, nil
}

func parseKey(fields []string) (*Key, error) {
	key := &Key{Name: fields[0]}
	if !validName.MatchString(key.Name) {
		return nil, errName
	}
	hash, found := "", false
	if len(fields) > 1 {
		hash, found = strings.CutPrefix(fields[1], hashPrefix)
	}
	if n, err := hex.Decode(key.Hash[:], []byte(hash[:min(len(hash), 2*sha256.Size)])); !found || err != nil || n != sha256.Size || len(hash) != 2*sha256.Size {
		return nil, fmt.Errorf("want NAME %s and 64 hex digits", hashPrefix)
	}
	given := map[string]bool{}
	for _, option := range fields[2:] {
		name, value, _ := strings.Cut(option, "=")
		if given[name] {
			return nil, errors.New("an option occurs twice: want it once")
		}
		given[name] = true
		if err := key.set(name, value); err != nil {
			return nil, err
		}
	}
	return key, nil
}

// set sets an option of a line.
func (k *Key) set(name, value string) error {
	switch name {
	case "quota", "max-cost":
		least := map[string]uint64{"quota": 0, "max-cost": 1}[name]
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil || n < least || n > maxCost {
			return fmt.Errorf("%s: want %d to %d", name, least, maxCost)
		}
		if name == "quota" {
			quota := int(n)
			k.Quota = &quota
		} else {
			k.MaxCost = int(n)
		}
		return nil
	case "expires":
		at, _, ok := evm.ParseDate(value)
		if ok {
			k.Expires = at
			return nil
		}
		return errors.New("expires: want a date in UTC such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z")
	case "chains":
		if k.Chains = strings.Split(value, ","); slices.Contains(k.Chains, "") {
			return errors.New("chains: want names of chains with commas between them, such as ethereum,base")
		}
		return nil
	default:
		return errors.New("unknown option: want quota=N, max-cost=N, expires=TIME or chains=NAME,NAME")
	}
}
