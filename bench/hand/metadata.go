package hand

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"mintburn/bench/workload"
	"mintburn/internal/evm"
	"mintburn/internal/nft"
)

const selectTokens = `SELECT c.id, c.address, c.standards, t.token_id, t.updated_at, t.name, t.description, t.image, t.external_url,
	t.image_data, t.background_color, t.youtube_url, t.animation_url, t.attributes
	FROM tokens t JOIN contracts c ON c.id = t.contract_id `

// scanToken reads a row of selectTokens.
func (s *Server) scanToken(ctx context.Context, row interface{ Scan(...any) error }) (t *Token, err error) {
	t = new(Token)
	var contractID, standards int64
	var contract, attributes []byte
	var id evm.Uint256
	if err := row.Scan(&contractID, &contract, &standards, &id, &t.UpdatedAt, &t.Name, &t.Description,
		&t.Image, &t.ExternalURL, &t.ImageData, &t.BackgroundColor, &t.YoutubeURL, &t.AnimationURL, &attributes); err != nil {
		return nil, err
	}
	t.CollectionAddress, t.TokenID, t.CollectionType = hexText(contract), id.String(), "ERC721"
	if standards == 2 {
		t.CollectionType = "ERC1155"
	}
	t.Attributes, err = s.attributes(ctx, contractID, attributes)
	return t, err
}

// attributes parses stored attributes and adds the number of values of each trait.
func (s *Server) attributes(ctx context.Context, contractID int64, text []byte) (list []Attribute, err error) {
	var stored []nft.Attribute
	if err := json.Unmarshal(text, &stored); err != nil {
		return nil, err
	}
	counts := map[string]int64{}
	for rows, err := range workload.Each(s.prepared["traits"].QueryContext(ctx, contractID)) { //nolint:rowserrcheck // Each does.
		var trait []byte
		var n int64
		if err == nil {
			err = rows.Scan(&trait, &n)
		}
		if err != nil {
			return nil, err
		}
		counts[string(trait)] = n
	}
	for _, a := range stored {
		sum := sha256.Sum256([]byte(a.TraitType))
		list = append(list, Attribute{a.TraitType, a.Value, a.MaxValue, counts[string(sum[:16])], int64(a.Order)})
	}
	return list, nil
}
