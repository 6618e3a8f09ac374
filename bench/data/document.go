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
// has four traits. Its image is a picture in it, or the URL of one.
func (c *collection) appendDocument(dst []byte, id int, picture bool) []byte {
	uri := fmt.Sprintf("https://%s.example/%d.json", c.address, id)
	if c.typ == nft.ERC1155 {
		uri = fmt.Sprintf("https://%s.example/{id}.json", c.address)
	}
	image := fmt.Sprintf("https://%s.example/%d.png", c.address, id)
	if picture {
		image = fmt.Sprintf("data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'%%3E%%3Cpath fill='hsl(%d 60%% 50%%)' d='M0 0h9v9H0z'/%%3E"+
			"%%3Ccircle cx='%d' cy='%d' r='%d' fill='hsl(%d 60%% 80%%)'/%%3E%%3C/svg%%3E", id%360, id%10, id/10%10, 1+id%4, id*7%360)
	}
	document := fmt.Sprintf(`{"name":"Token #%d","description":"One of a collection that was made to be measured.",`+
		`"image":"%s","external_url":"https://%s.example/%d","background_color":"c0ffee","attributes":[`+
		`{"trait_type":"Hat","value":"Hat %d"},{"trait_type":"Eyes","value":"Eyes %d"},`+
		`{"trait_type":"Mouth","value":"Mouth %d"},{"trait_type":"Level","value":%d,"max_value":100}]}`,
		id, image, c.address, id, id%17, id%11, id%7, id%100)
	return appendLine(dst, "metadata", map[string]any{
		"address": c.address, "tokenId": evm.NewUint256(uint64(id)), "uri": uri, "fetchedAt": fetchedAt, "document": document,
	})
}

// appendContract appends a line of an import file with the document of the collection.
func (c *collection) appendContract(dst []byte) []byte {
	document := fmt.Sprintf(`{"name":"Collection %.6s","symbol":"C%.4s","description":"Made to be measured.","image":"https://%[3]s.example/c.png",`+
		`"external_link":"https://%[3]s.example","collaborators":["%[3]s"]}`, c.address.String()[2:], c.address.String()[2:], c.address)
	return appendLine(dst, "collection", map[string]any{
		"address": c.address, "uri": fmt.Sprintf("https://%s.example/contract.json", c.address), "fetchedAt": fetchedAt, "document": document,
	})
}

// appendLine appends a line of an import file with a document of a kind.
func appendLine(dst []byte, kind string, document map[string]any) []byte {
	line, err := json.Marshal(map[string]any{kind: document})
	if err != nil {
		// All values are texts and numbers.
		panic(err)
	}
	return append(dst, line...)
}
