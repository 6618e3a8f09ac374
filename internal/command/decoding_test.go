package command_test

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
	"mintburn/internal/testing/storetest"
)

const (
	deadAddress  = "0x000000000000000000000000000000000000dead"
	kittyAddress = "0x06012c8cf97bead5deae237070f9587f8e7a266d"
)

// hashOf parses a hash. A shorter one is padded on the left.
func hashOf(t testing.TB, hex string) evm.Hash {
	t.Helper()
	hex = strings.TrimPrefix(hex, "0x")
	hash, err := evm.ParseHash("0x" + strings.Repeat("0", 64-len(hex)) + hex)
	expect.NoError(t, err)
	return hash
}

// optional returns transactions with logs that each decoder option decodes differently.
func optional(t testing.TB, n int) [][]evm.Log {
	t.Helper()
	transfer := hashOf(t, "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
	consecutive := hashOf(t, "deaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d")
	id := func(n int) evm.Hash { return evm.NewUint256(uint64(n)).Word() }
	kitty, err := evm.ParseAddress(kittyAddress)
	expect.NoError(t, err)
	alice, dead, zero := hashOf(t, "a11ce"), hashOf(t, deadAddress), evm.Hash{}
	old, last := slices.Concat(zero[:], alice[:], make([]byte, 32)), id(10*n+19)
	number := id(n)
	copy(old[64:], number[:])
	return [][]evm.Log{
		{{Address: evm.Address{1}, Topics: []evm.Hash{transfer, zero, alice, id(n)}}, {Address: evm.Address{1}, Topics: []evm.Hash{transfer, alice, dead, id(n)}}},
		{{Address: kitty, Topics: []evm.Hash{transfer}, Data: old}},
		{{Address: evm.Address{2}, Topics: []evm.Hash{consecutive, id(10 * n), zero, alice}, Data: last[:]}},
	}
}

// mineOptional adds n blocks of [optional] transactions to a node.
func mineOptional(t testing.TB, node *chaintest.Node, n int) {
	t.Helper()
	for range n {
		node.Mine(optional(t, len(node.Blocks()))...)
	}
}

func optionalNode(t testing.TB, n int) *chaintest.Node {
	t.Helper()
	node, _ := generated(t, 40, 30)
	mineOptional(t, node, n-40)
	return node
}

// synced returns a fresh database, synced with the given flags.
func synced(t testing.TB, node *chaintest.Node, flags ...string) string {
	t.Helper()
	db := filepath.Join(t.TempDir(), "fresh.db")
	mustRun(t, append([]string{"sync", "--once", "--rpc", node.URL, "--db", db}, flags...)...)
	return db
}

// TestDecoding_IsRemembered fills a database with an option that later commands omit.
// They must all use the stored option, and reject other values.
func TestDecoding_IsRemembered(t *testing.T) {
	t.Parallel()
	skipShort(t, "decodes a chain several times")
	node := optionalNode(t, 150)
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db, "--burn-address", deadAddress)
		before := exported(t, db)
		if n := strings.Count(before, deadAddress); n != 110 {
			t.Fatalf("%d burns to %s, want 110", n, deadAddress)
		}
		if stdout, _ := mustRun(t, "verify", "--repair", "--rpc", node.URL, "--db", db); !strings.HasPrefix(stdout, "Verified 151 blocks") {
			t.Errorf("verify --repair: %s", stdout)
		}
		mustRun(t, "sync", "--once", "--audit", "full", "--rpc", node.URL, "--db", db, "--range-cap", "10000")
		if exported(t, db) != before {
			t.Error("records changed")
		}
		for _, command := range [][]string{
			{"sync", "--once", "--rpc", node.URL}, {"verify", "--rpc", node.URL}, {"import", "-"}, {"serve", "--listen", "127.0.0.1:0", "--rpc", node.URL},
		} {
			for flag, changed := range map[string]string{
				"--range-cap=7":               "--burn-address " + deadAddress + " --range-cap 7",
				"--unindexed=" + kittyAddress: "--burn-address " + deadAddress + " --unindexed " + kittyAddress + " --range-cap 10000",
				"--burn-address=0x0000000000000000000000000000000000000001": "--burn-address 0x0000000000000000000000000000000000000001 --range-cap 10000",
			} {
				_, stderr, code := run(t, strings.NewReader(""), append(slices.Clone(command), "--db", db, flag)...)
				want := "mintburn: the database is decoded with --burn-address " + deadAddress + " --range-cap 10000, given are " + changed +
					": sync a new database with these, move the documents to it with mintburn export documents and mintburn import, and switch to it\n"
				if code != 1 || !strings.HasSuffix(stderr, want) {
					t.Errorf("%v: exit code %d: %swant %s", append(command, flag), code, stderr, want)
				}
			}
		}
		if exported(t, db) != before {
			t.Error("records changed")
		}
	})
}

// TestDecoding_Options checks what each option adds to the records, and leaves out.
func TestDecoding_Options(t *testing.T) {
	t.Parallel()
	skipShort(t, "decodes a chain several times")
	node := optionalNode(t, 60)
	// Of the 20 blocks that the options concern.
	for flags, want := range map[string][3]int{
		"":                              {0, 0, 400},
		"--burn-address " + deadAddress: {20, 0, 400},
		"--unindexed " + kittyAddress:   {0, 20, 400},
		"--range-cap 19":                {0, 0, 0},
		"--range-cap 20":                {0, 0, 400},
	} {
		db := synced(t, node, strings.Fields(flags)...)
		lines := exported(t, db)
		got := [3]int{
			strings.Count(lines, deadAddress), strings.Count(lines, `"token_address":"`+kittyAddress),
			strings.Count(lines, `"token_address":"0x0200000000000000000000000000000000000000"`),
		}
		expect.Equal(t, flags, want, got)
		expect.Equal(t, flags, cmp.Or(flags, "--range-cap 10000"), flagsOf(t, serve(t, db)))
	}
	empty := filepath.Join(t.TempDir(), "empty.db")
	mustRun(t, "migrate", "--db", empty)
	expect.Equal(t, "options", "--range-cap <nil>", flagsOf(t, serve(t, empty)))
}

// flagsOf returns the options that a server shows, as flags without the default of --range-cap beside others.
func flagsOf(t *testing.T, s *server) string {
	t.Helper()
	c := s.Get(t, "{ chain { burnAddresses unindexed rangeCap } }", "")["chain"].(map[string]any)
	var flags []string
	for _, a := range c["burnAddresses"].([]any) {
		flags = append(flags, "--burn-address", a.(string))
	}
	for _, a := range c["unindexed"].([]any) {
		flags = append(flags, "--unindexed", a.(string))
	}
	if c["rangeCap"] != number("10000") || flags == nil {
		flags = append(flags, "--range-cap", fmt.Sprint(c["rangeCap"]))
	}
	return strings.Join(flags, " ")
}

// TestDecoding_Changed runs the commands of docs/run.md that replace a database by one of other options.
func TestDecoding_Changed(t *testing.T) {
	t.Parallel()
	skipShort(t, "decodes a chain several times")
	node := optionalNode(t, 60)
	fresh := exported(t, synced(t, node, "--burn-address", deadAddress))
	var documents strings.Builder
	for n := range 20 {
		fmt.Fprintf(&documents, `{"metadata":{"address":"0x0100000000000000000000000000000000000000","tokenId":%d,"uri":"u","fetchedAt":1700000000,"document":"{\"name\":\"%d\"}"}}`+"\n", 41+n, n)
	}
	blocks, err := fences(section(t, "docs/run.md", "Change how blocks are decoded"))
	if err != nil || len(blocks) != 1 {
		t.Fatalf("%d blocks, want one (%v)", len(blocks), err)
	}
	storetest.Each(t, func(t *testing.T, db string) {
		former := synced(t, node)
		importInto(t, former, strings.NewReader(documents.String()), "-")
		here := strings.NewReplacer("chain.db", former, "new.db", db, "https://your-node.example", node.URL, "documents.ndjson", filepath.Join(t.TempDir(), "documents.ndjson"))
		for _, command := range commands(here.Replace(blocks[0].text)) {
			args := strings.Fields(command)[1:]
			if args[0] != "serve" {
				mustRun(t, args...)
				continue
			}
			if !start(t, append(args, "--no-metadata")...).headIs(t, 60) {
				t.Error("the new database is not served")
			}
		}
		if exported(t, db) != fresh {
			t.Error("different records than in a database that always had the options")
		}
		want, _ := mustRun(t, "export", "metadata", "--db", former)
		got, _ := mustRun(t, "export", "metadata", "--db", db)
		expect.Equal(t, "metadata", want, got)
		tokens, _ := mustRun(t, "export", "tokens", "--db", db)
		if n := strings.Count(tokens, `"metadata_state":"RESOLVED"`); n != 20 || strings.Count(tokens, `"state":"BURNED"`) < n {
			t.Errorf("%d tokens have a document, want 20, which are burned", n)
		}
	})
}

// blocksOf returns exported lines by kind and block.
func blocksOf(t *testing.T, db string) map[string]string {
	t.Helper()
	blocks := map[string]string{}
	for _, kind := range []string{"mints", "burns"} {
		stdout, _ := mustRun(t, "export", "--db", db, kind)
		for line := range strings.Lines(stdout) {
			_, number, _ := strings.Cut(line, `"block_number":`)
			number, _, _ = strings.Cut(number, ",")
			blocks[kind+number] += line
		}
	}
	return blocks
}

// halfDecoded stores in a database what a build before v0.1.0 stored while it decoded blocks again.
func halfDecoded(t *testing.T, db string) {
	t.Helper()
	change(t, db, `INSERT INTO settings (id, value) VALUES ('redecoding',
		'{"to":{"burn_addresses":["`+deadAddress+`"],"range_cap":10000},"done":[{"From":0,"To":9}],"changed":[{"From":0,"To":9}]}')`)
}

const halfDecodedLine = "mintburn: the change of the database to --burn-address " + deadAddress + " --range-cap 10000 is not finished: " +
	"build commit 00645a08 and finish it with mintburn redecode --db DSN --rpc URL --burn-address " + deadAddress + " --range-cap 10000, or sync a new database\n"

// TestDecoding_Half checks that commands store no blocks in a database that an earlier build has
// decoded only in part, and that it is served.
func TestDecoding_Half(t *testing.T) {
	t.Parallel()
	skipShort(t, "decodes a chain several times")
	node := optionalNode(t, 60)
	storetest.Each(t, func(t *testing.T, db string) {
		mustRun(t, "sync", "--once", "--rpc", node.URL, "--db", db)
		before := exported(t, db)
		halfDecoded(t, db)
		for _, command := range [][]string{
			{"sync", "--once", "--rpc", node.URL}, {"sync", "--rpc", node.URL, "--burn-address", deadAddress}, {"verify", "--rpc", node.URL}, {"verify", "--repair", "--rpc", node.URL},
			{"import", "-"}, {"serve", "--listen", "127.0.0.1:0", "--rpc", node.URL},
		} {
			if _, stderr, code := run(t, strings.NewReader(""), append(command, "--db", db)...); code != 1 || !strings.HasSuffix(stderr, halfDecodedLine) {
				// Others would run until they are stopped.
				t.Fatalf("%v: exit code %d: %swant %s", command, code, stderr, halfDecodedLine)
			}
		}
		if !serve(t, db).headIs(t, 60) || exported(t, db) != before {
			t.Error("it is not served as it was")
		}
	})
}

// TestDecoding_HalfBefore checks that such a database of an earlier schema keeps one that the build which
// finishes it knows, and that this build is a commit with the command.
func TestDecoding_HalfBefore(t *testing.T) {
	t.Parallel()
	db := storetest.Before(t)
	halfDecoded(t, db)
	for _, command := range [][]string{{"migrate"}, {"serve", "--listen", "127.0.0.1:0"}, {"export", "mints"}} {
		fails(t, 1, strings.TrimPrefix(halfDecodedLine, "mintburn: "), append(command, "--db", db)...)
		if t.Failed() {
			return // A server would run until it is stopped.
		}
	}
	stdout, _ := mustRun(t, "migrate", "--dry-run", "--db", db)
	if !strings.Contains(stdout, "Would apply") {
		t.Errorf("the migration is applied: %s", stdout)
	}
	commit := regexp.MustCompile("commit ([0-9a-f]+)").FindStringSubmatch(halfDecodedLine)[1]
	show := exec.CommandContext(t.Context(), "git", "cat-file", "-e", commit+":internal/command/redecode.go")
	show.Dir = root
	if said, err := show.CombinedOutput(); err != nil && succeed(t, root, nil, "git", "rev-parse", "--is-shallow-repository") == "false\n" {
		t.Errorf("%s has no redecode: %v: %s", commit, err, said)
	}
}

// TestSync_Contradicted checks that a follower ends, and stores nothing, when an earlier build
// changes the options in the database.
func TestSync_Contradicted(t *testing.T) {
	t.Parallel()
	for want, begin := range map[string]func(*testing.T, string){
		halfDecodedLine: halfDecoded,
		"mintburn: the database is decoded with --range-cap 7, given are --burn-address " + deadAddress + " --range-cap 10000: ": func(t *testing.T, db string) {
			change(t, db, `UPDATE settings SET value = '{"range_cap":7}' WHERE id = 'decoding'`)
		},
	} {
		storetest.Each(t, func(t *testing.T, db string) {
			node := optionalNode(t, 60)
			ended := make(chan string, 1)
			go func() {
				_, stderr, code := run(t, nil, "sync", "--rpc", node.URL, "--poll", "10ms", "--no-metadata", "--db", db, "--burn-address", deadAddress)
				ended <- fmt.Sprint(code, " ", stderr)
			}()
			s := serve(t, db)
			until(t, func() bool { return s.headIs(t, 60) })
			begin(t, db)
			mineOptional(t, node, 1)
			until(t, func() bool { return len(ended) > 0 || s.headIs(t, 61) })
			if s.headIs(t, 61) {
				t.Fatal("a block was stored")
			}
			if got := <-ended; !strings.HasPrefix(got, "1 ") || !strings.Contains(got, want) {
				t.Errorf("exit code %s: want 1 %s", got, want)
			}
		})
	}
}
