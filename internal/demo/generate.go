//go:build ignore

// Generate builds chain.ndjson.gz from a folder of recorded data:
//
//	go run generate.go FOLDER
//
// The folder contains chain-a (bundle.ndjson.gz, all-mints.ndjson.gz,
// calls.ndjson.gz) and metadata/site.ndjson.gz. With the same Go version, the same folder
// always produces the same bytes.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
)

const (
	output = "chain.ndjson.gz"
	// siteHost is the address of the recorded web site in the recorded URIs.
	siteHost = "http://127.0.0.1:18799"
	// fetchDelay is the time in seconds between the head block and the fetch of
	// the documents.
	fetchDelay = 60
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate.go FOLDER")
	}
	folder := os.Args[1]
	var out, packed bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	head := writeBlocks(lines, filepath.Join(folder, "chain-a", "bundle.ndjson.gz"))
	blocks := bytes.Count(out.Bytes(), []byte("\n"))
	writeDocuments(lines, folder, head+fetchDelay)
	documents := bytes.Count(out.Bytes(), []byte("\n")) - blocks

	w := must(gzip.NewWriterLevel(&packed, gzip.BestCompression))
	must(w.Write(out.Bytes()))
	check(w.Close())
	fmt.Printf("%d blocks, %d documents, %d bytes, %d compressed\n", blocks, documents, out.Len(), packed.Len())
	check(os.WriteFile(output, packed.Bytes(), 0o644))
}

// check exits the program if err is an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// must returns a value, or exits the program if err is an error.
func must[T any](value T, err error) T {
	check(err)
	return value
}

// parsed returns the value of a JSON text, or exits the program if it is invalid.
func parsed[T any](text []byte) (value T) {
	check(json.Unmarshal(text, &value))
	return value
}

// eachLine returns the values in a gzip-compressed NDJSON file. While a value is processed,
// its line number is the prefix of errors.
func eachLine[T any](path string) iter.Seq[T] {
	return func(yield func(T) bool) {
		defer log.SetPrefix("")
		log.SetPrefix("reading " + path + ": ")
		file := must(os.Open(path))
		defer file.Close()
		lines := bufio.NewScanner(must(gzip.NewReader(file)))
		lines.Buffer(nil, 1<<26)
		for number := 1; lines.Scan(); number++ {
			log.SetPrefix(fmt.Sprintf("reading %s:%d: ", path, number))
			if !yield(parsed[T](lines.Bytes())) {
				return
			}
		}
		check(lines.Err())
	}
}

// writeBlocks copies the blocks, with transaction hashes instead of transactions, and returns
// the time of the last block.
func writeBlocks(lines *json.Encoder, path string) (head uint64) {
	type bundle struct {
		Block    map[string]json.RawMessage `json:"block"`
		Receipts json.RawMessage            `json:"receipts"`
	}
	for b := range eachLine[bundle](path) {
		hashes := []string{}
		for _, transaction := range parsed[[]struct{ Hash string }](b.Block["transactions"]) {
			hashes = append(hashes, transaction.Hash)
		}
		b.Block["transactions"] = must(json.Marshal(hashes))
		head = must(strconv.ParseUint(parsed[string](b.Block["timestamp"]), 0, 64))
		check(lines.Encode(b))
	}
	return head
}

// document is the content of a metadata line.
type document struct {
	Address   evm.Address `json:"address"`
	TokenID   evm.Uint256 `json:"tokenId"`
	URI       string      `json:"uri"`
	FetchedAt uint64      `json:"fetchedAt"`
	Document  string      `json:"document"`
}

// writeDocuments writes the documents of all minted tokens that have a valid one, sorted by
// collection and token id.
func writeDocuments(lines *json.Encoder, folder string, fetchedAt uint64) {
	site := readSite(filepath.Join(folder, "metadata", "site.ndjson.gz"))
	uris := readURIs(filepath.Join(folder, "chain-a", "calls.ndjson.gz"))
	types := map[nft.TokenKey]nft.ContractType{}
	for mint := range eachLine[struct {
		Contract evm.Address      `json:"token_address"`
		Type     nft.ContractType `json:"contract_type"`
		TokenID  evm.Uint256      `json:"token_id"`
	}](filepath.Join(folder, "chain-a", "all-mints.ndjson.gz")) {
		types[nft.TokenKey{Contract: mint.Contract, TokenID: mint.TokenID}] = mint.Type
	}
	var documents []document
	for token, standard := range types {
		uri, known := uris.of(token)
		if !known {
			continue
		}
		if raw, good := resolve(site, uri, standard, token.TokenID); good {
			documents = append(documents, document{token.Contract, token.TokenID, uri, fetchedAt, standalone(raw, token.TokenID)})
		}
	}
	slices.SortFunc(documents, func(a, b document) int {
		return cmp.Or(bytes.Compare(a.Address[:], b.Address[:]), a.TokenID.Cmp(b.TokenID))
	})
	for _, d := range documents {
		check(lines.Encode(map[string]document{"metadata": d}))
	}
}

var pictureLink = regexp.MustCompile(regexp.QuoteMeta(siteHost) + `/img/[^"]*`)

// standalone replaces links to the recorded web site, which does not exist in a demo. It
// replaces pictures by generated SVGs, a disc on a square.
func standalone(raw string, id evm.Uint256) string {
	sum := sha256.Sum256([]byte(id.String()))
	svg := fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'><path fill='#%x' d='M0 0h4v4H0'/><circle fill='#%x' cx='2' cy='2' r='1'/></svg>",
		sum[:3], sum[3:6])
	picture := "data:image/svg+xml," + strings.NewReplacer("<", "%3C", ">", "%3E", "#", "%23", " ", "%20").Replace(svg)
	return strings.ReplaceAll(pictureLink.ReplaceAllLiteralString(raw, picture), siteHost, "https://example.com")
}

// tokenURIs holds the recorded URIs of tokens at the head.
type tokenURIs struct {
	byToken map[nft.TokenKey]string
	// byPattern holds the URI pattern of each contract. %s stands for the decimal token
	// id. It is for tokens without a recorded call, and for burned ones, for which the call
	// now fails.
	byPattern map[evm.Address]string
}

func (u tokenURIs) of(token nft.TokenKey) (string, bool) {
	if uri, known := u.byToken[token]; known {
		return uri, true
	}
	pattern, known := u.byPattern[token.Contract]
	return strings.ReplaceAll(pattern, "%s", token.TokenID.String()), known
}

func readURIs(path string) tokenURIs {
	uris := tokenURIs{map[nft.TokenKey]string{}, map[evm.Address]string{}}
	for call := range eachLine[struct {
		Fn, Result string
		To         evm.Address
		Args       []string
	}](path) {
		if (call.Fn != "tokenURI" && call.Fn != "uri") || call.Result == "" {
			continue
		}
		id := must(evm.ParseUint256(call.Args[0]))
		uri := must(metadata.DecodeURI(must(hex.DecodeString(strings.TrimPrefix(call.Result, "0x")))))
		uris.byToken[nft.TokenKey{Contract: call.To, TokenID: id}] = uri
		if head, found := strings.CutSuffix(uri, "/"+id.String()+".json"); found {
			uris.byPattern[call.To] = head + "/%s.json"
		} else if strings.Contains(uri, "{id}") {
			uris.byPattern[call.To] = uri
		}
	}
	return uris
}

// resolve returns the document of a URI, and whether it is recorded and valid.
func resolve(site map[string]string, uri string, standard nft.ContractType, id evm.Uint256) (string, bool) {
	target := uri
	if standard == nft.ERC1155 {
		target = metadata.ReplaceID(uri, id)
	}
	path, onSite := strings.CutPrefix(target, siteHost)
	raw, recorded := site[path]
	if !onSite || !recorded {
		_, body, err := metadata.DecodeDataURI(target)
		if err != nil {
			return "", false
		}
		raw = metadata.Text(body)
	}
	_, err := metadata.Normalise(raw, standard, id)
	return raw, err == nil
}

// readSite returns the bodies of uncompressed answers with status 200 and without faults, by
// path.
func readSite(path string) map[string]string {
	site := map[string]string{}
	for answer := range eachLine[struct {
		Path, Body string
		Status     int
		Close      bool
		Delay      int `json:"delay_ms"`
		Drip       int `json:"drip_ms"`
		Headers    map[string]string
	}](path) {
		plain := answer.Status == 200 && !answer.Close && answer.Delay == 0 && answer.Drip == 0
		if plain && answer.Headers["content-encoding"] == "" && answer.Body != "" {
			site[answer.Path] = answer.Body
		}
	}
	return site
}
