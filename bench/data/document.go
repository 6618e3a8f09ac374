package data

import (
	"encoding/json"
	"fmt"

	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

// fetchedAt is the time at which all documents were fetched, in Unix seconds. It is
// after every block, so that nothing fetches them again.
const fetchedAt = 1_760_000_000

// appendDocument appends a line of an import file with the document of a token, which
// has four traits.
func (c *collection) appendDocument(dst []byte, id int) []byte {
	uri := fmt.Sprintf("https://%s.example/%d.json", c.address, id)
	if c.typ == nft.ERC1155 {
		uri = fmt.Sprintf("https://%s.example/{id}.json", c.address)
	}
	document := fmt.Sprintf(`{"name":"Token #%d","description":"One of a collection that was made to be measured.",`+
		`"image":"https://%s.example/%d.png","external_url":"https://%s.example/%d","background_color":"c0ffee","attributes":[`+
		`{"trait_type":"Hat","value":"Hat %d"},{"trait_type":"Eyes","value":"Eyes %d"},`+
		`{"trait_type":"Mouth","value":"Mouth %d"},{"trait_type":"Level","value":%d,"max_value":100}]}`,
		id, c.address, id, c.address, id, id%17, id%11, id%7, id%100)
	line, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"address": c.address, "tokenId": evm.NewUint256(uint64(id)), "uri": uri, "fetchedAt": fetchedAt, "document": document,
	}})
	if err != nil {
		// The text above is always valid JSON.
		panic(err)
	}
	return append(dst, line...)
}
