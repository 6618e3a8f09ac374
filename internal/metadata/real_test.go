package metadata_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mintburn/internal/evm"
	"mintburn/internal/metadata"
	"mintburn/internal/nft"
	"mintburn/internal/testing/chaintest"
	"mintburn/internal/testing/expect"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

func base64Of(body []byte) string { return base64.StdEncoding.EncodeToString(body) }

// realToken is a token from the public recordings.
type realToken struct {
	CollectionAddress string           `json:"collection_address"`
	CollectionType    nft.ContractType `json:"collection_type"`
	TokenID           evm.Uint256      `json:"token_id"`
	TokenURI          string           `json:"token_uri"`
	Document          json.RawMessage
}

func TestNormalise_RealDocuments(t *testing.T) {
	for i := range 3 {
		name := fmt.Sprintf("creature-%d", i)
		t.Run(name, func(t *testing.T) {
			raw := chaintest.Unpacked(t, "metadata/real/"+name+".json")
			compareGolden(t, name, string(raw), nft.ERC721, evm.Uint256{})
		})
	}
	for _, token := range chaintest.Values[realToken](t, "metadata/real/zora.ndjson.gz") {
		name := token.CollectionAddress
		t.Run(name, func(t *testing.T) {
			compareGolden(t, name, string(token.Document), token.CollectionType, token.TokenID)
		})
	}
	t.Run("trailing comma", func(t *testing.T) {
		raw := chaintest.Unpacked(t, "metadata/real/trailing-comma.json")
		if _, err := metadata.Normalise(string(raw), nft.ERC721, evm.Uint256{}); err == nil {
			t.Error("invalid JSON was accepted")
		}
	})
}

func TestDecodeDataURI_RealTokens(t *testing.T) {
	read := 0
	for _, token := range chaintest.Values[realToken](t, "metadata/real/zora.ndjson.gz") {
		if !strings.HasPrefix(token.TokenURI, "data:") {
			continue
		}
		read++
		t.Run(token.CollectionAddress, func(t *testing.T) {
			mediaType, body, err := metadata.DecodeDataURI(token.TokenURI)
			if err != nil || mediaType != "application/json" {
				t.Fatalf("got %q, %v", mediaType, err)
			}
			// The wrapped punk's contract answers {}. The recorded document has another
			// source.
			if string(body) == "{}" {
				return
			}
			got, err := metadata.Normalise(string(body), token.CollectionType, token.TokenID)
			expect.NoError(t, err)
			want, err := metadata.Normalise(string(token.Document), token.CollectionType, token.TokenID)
			expect.NoError(t, err)
			expect.Equal(t, "result", want, got)
		})
	}
	if read != 4 {
		t.Errorf("%d tokens have a data: URI, want 4", read)
	}
}

// compareGolden normalises raw and compares the record with a golden file.
func compareGolden(t *testing.T, name, raw string, standard nft.ContractType, id evm.Uint256) {
	t.Helper()
	m, err := metadata.Normalise(raw, standard, id)
	expect.NoError(t, err)
	for _, field := range []*string{m.Image, m.ImageData} {
		if field != nil && len(*field) > 400 {
			*field = fmt.Sprintf("%s… %d bytes, sha256 %x", (*field)[:60], len(*field), sha256.Sum256([]byte(*field)))
		}
	}
	got, err := json.MarshalIndent(m, "", "  ")
	expect.NoError(t, err)
	got = append(got, '\n')
	golden := filepath.Join("testdata", "real", name+".json")
	if *update {
		expect.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o755))
		expect.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	expect.NoError(t, err)
	expect.Equal(t, "result", string(want), string(got))
}
