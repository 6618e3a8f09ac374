package command_test

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mintburn/internal/testing/expect"
)

// tags matches the title and the tags of a document about what it is.
var tags = regexp.MustCompile(`<title>([^<]*)</title>|<meta (?:name|property)="(description|og:[a-z_]+)" content="([^"]*)">`)

// shared requests a page without a script and returns its status, the header Location, and what its title
// and its tags say.
func shared(t *testing.T, s *server, path string) (status int, location string, says map[string]string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Get(s.Base + "/explore" + path)
	expect.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	expect.NoError(t, err)
	expect.NoError(t, response.Body.Close())
	if now := response.Header.Get("Cache-Control"); response.StatusCode == http.StatusFound && now != "no-store" {
		t.Errorf("%s: Cache-Control %q", path, now)
	}
	says = map[string]string{}
	for _, tag := range tags.FindAllStringSubmatch(string(body), -1) {
		if says[tag[2]] = html.UnescapeString(tag[3]); tag[2] == "" {
			says[""] = html.UnescapeString(tag[1])
		}
	}
	return response.StatusCode, response.Header.Get("Location"), says
}

// into decodes the data of an answer.
func into(t *testing.T, data, value any) {
	t.Helper()
	text, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	expect.NoError(t, err)
}

// TestShare reads what the pages of Explore say of themselves without a script: names, a burned token, what
// is not indexed, tags of blocks. Without a quota, or with required keys, they say what they all say.
func TestShare(t *testing.T) {
	t.Parallel()
	s := start(t, "demo", "--quota", "2000")
	var found struct {
		Burns struct {
			Data []struct {
				ContractType, TokenAddress, TokenID, TransactionHash, From string
				Metadata                                                   struct{ Name string }
			}
		}
		Collection struct {
			Name         string
			Mints, Burns struct{ TotalItems int }
		}
		Chain struct{ Head, Finalized struct{ Number int } }
	}
	into(t, s.Get(t, `{ burns(order: DESC, first: 100) { data { contractType tokenAddress tokenID: tokenId transactionHash from metadata { name } } } chain { head { number } finalized { number } } }`, ""), &found)
	burn := found.Burns.Data[0]
	several := burn
	for _, one := range found.Burns.Data {
		if one.ContractType == "ERC721" {
			burn = one
		} else {
			several = one
		}
	}
	into(t, s.Get(t, `{ collection(address: "`+burn.TokenAddress+`") { name mints(first: 0) { totalItems } burns(first: 0) { totalItems } } }`, ""), &found)
	burned := fmt.Sprintf("NFT %s of %s. It is burned.", burn.TokenID, found.Collection.Name)
	head := fmt.Sprint(found.Chain.Head.Number)
	for path, want := range map[string]struct {
		status                       int
		title, description, location string
	}{
		"": {200, "Explore", "The NFTs that are minted and burned on a chain, as it happens.", ""},
		"/" + burn.TokenAddress + "/" + burn.TokenID:                        {200, burn.Metadata.Name, burned, ""},
		"/0X" + strings.ToUpper(burn.TokenAddress[2:]) + "/" + burn.TokenID: {200, burn.Metadata.Name, burned, ""},
		"/" + strings.ToUpper(burn.TokenAddress[2:]) + "/7":                 {404, "Explore", "", ""},
		"/" + burn.TokenAddress + "/99999":                                  {404, found.Collection.Name + " #99999 is not indexed", "No mint or burn of this token is indexed.", ""},
		"/" + burn.TokenAddress:                                             {200, found.Collection.Name, fmt.Sprintf("%d mints and %d burns of %s.", found.Collection.Mints.TotalItems, found.Collection.Burns.TotalItems, found.Collection.Name), ""},
		"/0x" + strings.Repeat("a", 40):                                     {200, "Collection 0xaaaa…aaaa", "The NFTs of the collection at 0x" + strings.Repeat("a", 40) + ".", ""},
		"/0x" + strings.Repeat("a", 40) + "/1":                              {404, "Collection 0xaaaa…aaaa #1 is not indexed", "No mint or burn of this token is indexed.", ""},
		"/account/" + burn.From:                                             {200, "Account " + burn.From[:6] + "…" + burn.From[38:], "NFTs that " + burn.From + " minted and burned.", ""},
		"/tx/" + burn.TransactionHash:                                       {200, "Transaction " + burn.TransactionHash[:6] + "…" + burn.TransactionHash[62:], "NFTs minted and burned in transaction " + burn.TransactionHash + ".", ""},
		"/block/" + head:                                                    {200, "Block " + head, "NFTs minted and burned in block " + head + ".", ""},
		"/block/8589934590":                                                 {404, "Block 8589934590 is not indexed", "Mintburn has not indexed this block.", ""},
		"/block/9999999999999999999":                                        {404, "Explore", "", ""},
		"/block/latest":                                                     {302, "", "", head},
		"/block/finalized":                                                  {302, "", "", fmt.Sprint(found.Chain.Finalized.Number)},
	} {
		status, location, says := shared(t, s, path)
		// A busy server omits what a page is about.
		for tries := 0; tries < 100 && want.title != "Explore" && says[""] == "Explore · Mintburn"; tries++ {
			status, location, says = shared(t, s, path)
		}
		expect.Equal(t, path+": status", want.status, status)
		expect.Equal(t, path+": location", want.location, location)
		if want.title == "" {
			continue
		}
		expect.Equal(t, path+": title", want.title+" · Mintburn", says[""])
		expect.Equal(t, path+": description", want.description, says["description"])
		expect.Equal(t, path+": og:description", want.description, says["og:description"])
		if want.description != "" {
			expect.Equal(t, path+": og:title", want.title, says["og:title"])
		}
	}
	if status, _, says := shared(t, start(t, "demo"), "/block/"+head); status != 200 || says["og:title"] != "Block "+head {
		t.Errorf("a server without quotas: status %d, %v", status, says)
	}
	// Some of the amount is left.
	if _, _, says := shared(t, s, "/"+several.TokenAddress+"/"+several.TokenID); strings.Contains(says["description"], "burned") {
		t.Errorf("a burn of an ERC-1155 token: %v", says)
	}
	line, _ := mustRun(t, "keys", "new", "viewer")
	keys := filepath.Join(t.TempDir(), "keys")
	expect.NoError(t, os.WriteFile(keys, []byte(line), 0o600))
	for name, other := range map[string]*server{"a spent quota": start(t, "demo", "--quota", "1"), "required keys": start(t, "demo", "--api-keys", keys, "--require-api-key")} {
		shared(t, other, "/"+burn.TokenAddress)
		for _, path := range []string{"/" + burn.TokenAddress + "/99999", "/block/latest"} {
			status, _, says := shared(t, other, path)
			expect.Equal(t, name+path+": status", 200, status)
			expect.Equal(t, name+path+": title", "Explore · Mintburn", says[""])
		}
	}
}
