//go:build ignore

// Generate builds chain.ndjson.gz from a folder of recorded data:
//
//	go run generate.go FOLDER
//
// The folder holds chain-a (bundle.ndjson.gz, all-mints.ndjson.gz,
// calls.ndjson.gz) and metadata/site.ndjson.gz. The same folder gives the same
// file, byte for byte, with the same Go version.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	// siteHost is where the recorded web site stands in the recorded URIs.
	siteHost = "http://127.0.0.1:18799"
	// fetchDelay is the time in seconds from the head block to the fetch of
	// the documents.
	fetchDelay = 60
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate.go FOLDER")
	}
	if err := generate(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func generate(folder string) error {
	var out bytes.Buffer
	lines := json.NewEncoder(&out)
	lines.SetEscapeHTML(false)
	head, err := writeBlocks(lines, filepath.Join(folder, "chain-a", "bundle.ndjson.gz"))
	if err != nil {
		return err
	}
	blocks := bytes.Count(out.Bytes(), []byte("\n"))
	if err := writeDocuments(lines, folder, head+fetchDelay); err != nil {
		return err
	}
	documents := bytes.Count(out.Bytes(), []byte("\n")) - blocks

	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	fmt.Printf("%d blocks, %d documents, %d bytes, %d compressed\n", blocks, documents, out.Len(), packed.Len())
	return os.WriteFile(output, packed.Bytes(), 0o644)
}

// writeBlocks copies the blocks, with the hashes of their transactions in place
// of the transactions, and returns the time of the last one.
func writeBlocks(lines *json.Encoder, path string) (head uint64, err error) {
	type bundle struct {
		Block    map[string]json.RawMessage `json:"block"`
		Receipts json.RawMessage            `json:"receipts"`
	}
	return head, eachLine(path, func(b bundle) error {
		var transactions []struct{ Hash string }
		if err := json.Unmarshal(b.Block["transactions"], &transactions); err != nil {
			return err
		}
		hashes := []string{}
		for _, transaction := range transactions {
			hashes = append(hashes, transaction.Hash)
		}
		if b.Block["transactions"], err = json.Marshal(hashes); err != nil {
			return err
		}
		var quantity string
		if err := json.Unmarshal(b.Block["timestamp"], &quantity); err != nil {
			return err
		}
		if head, err = strconv.ParseUint(quantity, 0, 64); err != nil {
			return err
		}
		return lines.Encode(b)
	})
}

// document is the content of a metadata line.
type document struct {
	Address   evm.Address `json:"address"`
	TokenID   evm.Uint256 `json:"tokenId"`
	URI       string      `json:"uri"`
	FetchedAt uint64      `json:"fetchedAt"`
	Document  string      `json:"document"`
}

// writeDocuments writes the good document of every minted token that has one,
// by collection and token id.
func writeDocuments(lines *json.Encoder, folder string, fetchedAt uint64) error {
	site, err := readSite(filepath.Join(folder, "metadata", "site.ndjson.gz"))
	if err != nil {
		return err
	}
	uris, err := readURIs(filepath.Join(folder, "chain-a", "calls.ndjson.gz"))
	if err != nil {
		return err
	}
	types := map[nft.TokenKey]nft.ContractType{}
	err = eachLine(filepath.Join(folder, "chain-a", "all-mints.ndjson.gz"), func(mint struct {
		Contract evm.Address      `json:"token_address"`
		Type     nft.ContractType `json:"contract_type"`
		TokenID  evm.Uint256      `json:"token_id"`
	}) error {
		types[nft.TokenKey{Contract: mint.Contract, TokenID: mint.TokenID}] = mint.Type
		return nil
	})
	if err != nil {
		return err
	}

	var documents []document
	for token, standard := range types {
		uri, known := uris.of(token)
		if !known {
			continue
		}
		raw, good := resolve(site, uri, standard, token.TokenID)
		if !good {
			continue
		}
		documents = append(documents, document{token.Contract, token.TokenID, uri, fetchedAt, standalone(raw, token.TokenID)})
	}
	slices.SortFunc(documents, func(a, b document) int {
		if order := bytes.Compare(a.Address[:], b.Address[:]); order != 0 {
			return order
		}
		return a.TokenID.Cmp(b.TokenID)
	})
	for _, d := range documents {
		if err := lines.Encode(map[string]document{"metadata": d}); err != nil {
			return err
		}
	}
	return nil
}

var pictureLink = regexp.MustCompile(regexp.QuoteMeta(siteHost) + `/img/[^"]*`)

// standalone returns a document without links to the recorded web site: in a demo,
// nothing listens there. Pictures are drawn in place, a disc on a square.
func standalone(raw string, id evm.Uint256) string {
	sum := sha256.Sum256([]byte(id.String()))
	svg := fmt.Sprintf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 4 4'><path fill='#%x' d='M0 0h4v4H0'/><circle fill='#%x' cx='2' cy='2' r='1'/></svg>",
		sum[:3], sum[3:6])
	picture := "data:image/svg+xml," + strings.NewReplacer("<", "%3C", ">", "%3E", "#", "%23", " ", "%20").Replace(svg)
	return strings.ReplaceAll(pictureLink.ReplaceAllLiteralString(raw, picture), siteHost, "https://example.com")
}

// tokenURIs holds what the contracts answered at the head.
type tokenURIs struct {
	byToken map[nft.TokenKey]string
	// byPattern holds, by contract, the URI of every token, with %s for the
	// decimal token id where the contract puts one. It is for tokens that were
	// not asked about, and for burned ones, whose answer is an error by now.
	byPattern map[evm.Address]string
}

func (u tokenURIs) of(token nft.TokenKey) (string, bool) {
	if uri, known := u.byToken[token]; known {
		return uri, true
	}
	pattern, known := u.byPattern[token.Contract]
	return strings.ReplaceAll(pattern, "%s", token.TokenID.String()), known
}

func readURIs(path string) (tokenURIs, error) {
	uris := tokenURIs{map[nft.TokenKey]string{}, map[evm.Address]string{}}
	return uris, eachLine(path, func(call struct {
		Fn, Result string
		To         evm.Address
		Args       []string
	}) error {
		if (call.Fn != "tokenURI" && call.Fn != "uri") || call.Result == "" {
			return nil
		}
		id, err := evm.ParseUint256(call.Args[0])
		if err != nil {
			return err
		}
		data, err := hex.DecodeString(strings.TrimPrefix(call.Result, "0x"))
		if err != nil {
			return err
		}
		uri, err := metadata.DecodeURI(data)
		if err != nil {
			return err
		}
		uris.byToken[nft.TokenKey{Contract: call.To, TokenID: id}] = uri
		if head, found := strings.CutSuffix(uri, "/"+id.String()+".json"); found {
			uris.byPattern[call.To] = head + "/%s.json"
		} else if strings.Contains(uri, "{id}") {
			uris.byPattern[call.To] = uri
		}
		return nil
	})
}

// resolve returns the document behind uri if it is recorded and normalises.
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

// readSite returns the bodies of the plain answers by path.
func readSite(path string) (map[string]string, error) {
	site := map[string]string{}
	return site, eachLine(path, func(answer struct {
		Path, Body string
		Status     int
		Close      bool
		Delay      int `json:"delay_ms"`
		Drip       int `json:"drip_ms"`
		Headers    map[string]string
	}) error {
		plain := answer.Status == 200 && !answer.Close && answer.Delay == 0 && answer.Drip == 0
		if plain && answer.Headers["content-encoding"] == "" && answer.Body != "" {
			site[answer.Path] = answer.Body
		}
		return nil
	})
}

// eachLine calls visit with each line of a gzip-compressed NDJSON file.
func eachLine[T any](path string, visit func(T) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<26)
	for number := 1; lines.Scan(); number++ {
		var value T
		if err := json.Unmarshal(lines.Bytes(), &value); err != nil {
			return fmt.Errorf("reading %s:%d: %w", path, number, err)
		}
		if err := visit(value); err != nil {
			return fmt.Errorf("reading %s:%d: %w", path, number, err)
		}
	}
	return lines.Err()
}
