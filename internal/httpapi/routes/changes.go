package routes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mintburn/internal/httpapi/documented"
)

// changesQuery returns the document of the route of changes, and changesSubscription that of its
// event stream. They select what export writes of a record and a document. docs/api.md#changes.
func changesQuery() string {
	return "query($limit: Int, " + fmt.Sprintf(changesField, "first: $limit, ", changesBatch())
}

func changesSubscription() string {
	return "subscription(" + fmt.Sprintf(changesField, "", changesBatch())
}

const changesField = `$after: Cursor, $address: [Address!], $account: [Address!], $kind: [ChangeKind!]) {
	answer: changes(%safter: $after, addresses: $address, accounts: $account, kinds: $kind) { %s }
}`

// changesBatch returns the selection of a batch.
func changesBatch() string {
	return fmt.Sprintf(`cursor more head { number hash timestamp } data: changes { kind cursor
		... on RecordAdded { transfer { %s sub_index: subIndex id } record: transfer { __typename } }
		... on BlocksVoided { blocks { fromBlock toBlock } cause }
		... on BlocksFinalized { block { number hash } }
		... on MetadataChanged { address tokenId metadata { %s attributes { %s } uri fetched_at: fetchedAt } }
	}`, documented.SnakeFields(documented.TransferFields), documented.SnakeFields(documented.MetadataFields), documented.SnakeFields(documented.AttributeFields))
}

// changeKinds are the values of the parameter kind.
var changeKinds = []string{"added", "voided", "finalized", "metadata"}

// Batch is the answer to the document of the route of changes.
type Batch struct {
	Cursor  string
	More    bool
	Head    json.RawMessage
	Changes []change `json:"data"`
}

// change is a change. It has the fields of its kind only.
type change struct {
	Kind, Cursor, Cause string
	Transfer            json.RawMessage
	Record              struct {
		Type string `json:"__typename"`
	}
	Blocks *struct{ FromBlock, ToBlock uint64 }
	Block  *struct {
		Number uint64
		Hash   string
	}
	Address, TokenID string
	Metadata         json.RawMessage
}

// Write writes a batch as the route's answer.
func (c *Batch) Write(b *bytes.Buffer) {
	fmt.Fprintf(b, `{"cursor":%q,"more":%t,"head":%s,"data":[`, c.Cursor, c.More, c.Head)
	for i := range c.Changes {
		if i > 0 {
			b.WriteByte(',')
		}
		c.Changes[i].write(b)
	}
	b.WriteString("]}")
}

// WriteEvents writes the changes of a batch as server-sent events.
func (c *Batch) WriteEvents(b *bytes.Buffer) {
	for i := range c.Changes {
		fmt.Fprintf(b, "id: %s\ndata: ", c.Changes[i].Cursor)
		c.Changes[i].write(b)
		b.WriteString("\n\n")
	}
}

// write writes a change as the line of mintburn changes.
func (c *change) write(b *bytes.Buffer) {
	fmt.Fprintf(b, `{"kind":%q,"cursor":%q`, strings.ToLower(c.Kind), c.Cursor)
	switch {
	case c.Transfer != nil:
		fmt.Fprintf(b, `,%q:%s}`, strings.ToLower(c.Record.Type), c.Transfer)
	case c.Blocks != nil:
		fmt.Fprintf(b, `,"from_block":%d,"to_block":%d,"cause":%q}`, c.Blocks.FromBlock, c.Blocks.ToBlock, strings.ToLower(c.Cause))
	case c.Block != nil:
		fmt.Fprintf(b, `,"block_number":%d,"block_hash":%q}`, c.Block.Number, c.Block.Hash)
	default:
		fmt.Fprintf(b, `,"token_address":%q,"token_id":%q,"metadata":%s}`, c.Address, c.TokenID, c.Metadata)
	}
}
