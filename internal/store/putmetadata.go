package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mintburn/ent"
	"mintburn/ent/token"
	"mintburn/internal/nft"
)

// PutMetadata stores the metadata of tokens, in one transaction. Of a token
// that is known, what was fetched before the stored document is left out;
// UpdatedAt stays as it is when the document did not change. The tokens count
// as fetched: until an event says so, no worker asks for them.
func (s *Store) PutMetadata(ctx context.Context, items []nft.TokenMetadata) error {
	_, err := s.write(ctx, func(ctx context.Context, w *writer) error {
		for i := range items {
			err := w.putMetadata(ctx, &items[i])
			if err == nil {
				err = w.imported(ctx, &items[i])
			}
			if err != nil {
				return fmt.Errorf("storing metadata of %s %s: %w", items[i].Contract, items[i].TokenID, err)
			}
		}
		return nil
	})
	return err
}

func (w *writer) putMetadata(ctx context.Context, m *nft.TokenMetadata) error {
	if _, ok := w.contracts[m.Contract]; !ok {
		if err := w.nameContract(ctx, m.Contract, 0); err != nil {
			return err
		}
	}
	contractID := w.contracts[m.Contract]
	traits := storableTraits(m.Attributes)
	attributes, err := encodeAttributes(traits)
	if err != nil {
		return err
	}
	client := w.store.client(w.tx)
	old, err := client.Token.Query().Where(token.ContractID(contractID), token.TokenID(m.TokenID)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		create := client.Token.Create().SetContractID(contractID).SetTokenID(m.TokenID).SetUpdatedAt(m.FetchedAt)
		setDocument(create.Mutation(), m, attributes)
		if err := create.Exec(ctx); err != nil {
			return err
		}
		w.documents.count(contractID, traits, 1)
		w.documents.tokens[contractID]++
		return nil
	case err != nil:
		return err
	case old.FetchedAt > m.FetchedAt:
		return nil
	}
	update := client.Token.UpdateOne(old)
	setDocument(update.Mutation(), m, attributes)
	if old.Raw != storable(m.Raw) {
		update.SetUpdatedAt(m.FetchedAt)
	}
	if err := update.Exec(ctx); err != nil {
		return err
	}
	if old.Attributes == attributes {
		return nil
	}
	var before []nft.Attribute
	if err := json.Unmarshal([]byte(old.Attributes), &before); err != nil {
		return fmt.Errorf("reading stored attributes: %w", err)
	}
	w.documents.count(contractID, before, -1)
	w.documents.count(contractID, traits, 1)
	return nil
}

// encodeAttributes writes attributes as they are stored.
func encodeAttributes(attributes []nft.Attribute) (string, error) {
	if attributes == nil {
		attributes = []nft.Attribute{}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(attributes); err != nil {
		return "", fmt.Errorf("encoding attributes: %w", err)
	}
	return b.String(), nil
}

// storable replaces what a text column of PostgreSQL can't hold, U+0000 and
// bytes that are not UTF-8, by U+FFFD; in SQLite too, so that both give the
// same answers.
func storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}

// storableTraits returns attributes whose texts are what is read of them later:
// a trait is counted by its text.
func storableTraits(attributes []nft.Attribute) []nft.Attribute {
	attributes = slices.Clone(attributes)
	for i := range attributes {
		a := &attributes[i]
		a.TraitType, a.Value = storable(a.TraitType), storable(a.Value)
	}
	return attributes
}

// setDocument sets every column of a token that comes from its document.
func setDocument(t *ent.TokenMutation, m *nft.TokenMetadata, attributes string) {
	uri, raw := storable(m.URI), storable(m.Raw)
	bytes := len(uri) + len(raw) + len(attributes)
	t.SetURI(uri)
	t.SetURIHasID(strings.Contains(uri, "{id}"))
	t.SetRaw(raw)
	t.SetFetchedAt(m.FetchedAt)
	t.SetAttributes(attributes)
	for _, column := range []struct {
		value *string
		set   func(string)
		clear func()
	}{
		{m.Name, t.SetName, t.ClearName},
		{m.Description, t.SetDescription, t.ClearDescription},
		{m.Image, t.SetImage, t.ClearImage},
		{m.ExternalURL, t.SetExternalURL, t.ClearExternalURL},
		{m.ImageData, t.SetImageData, t.ClearImageData},
		{m.BackgroundColor, t.SetBackgroundColor, t.ClearBackgroundColor},
		{m.YoutubeURL, t.SetYoutubeURL, t.ClearYoutubeURL},
		{m.AnimationURL, t.SetAnimationURL, t.ClearAnimationURL},
	} {
		if column.value == nil {
			column.clear()
			continue
		}
		text := storable(*column.value)
		bytes += len(text)
		column.set(text)
	}
	t.SetTextBytes(int64(bytes))
}
