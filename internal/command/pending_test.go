package command

import (
	"context"
	"testing"

	"mintburn/internal/nft"
)

// TestPending_Refused ends both waits: for a batch that nothing takes, and for
// one to which nothing is added.
func TestPending_Refused(t *testing.T) {
	for name, wait := range map[string]func(*testing.T, *pending){
		"add to a full batch": func(t *testing.T, p *pending) {
			p.batch.records = 1
			err := p.add(func(*batch) error {
				t.Error("something was added")
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		},
		"take from an empty batch": func(t *testing.T, p *pending) {
			if b, ok := p.take(); ok {
				t.Errorf("got a batch of %d records, want none", b.records)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			p := newPending(1)
			defer context.AfterFunc(ctx, p.refuse)()
			waited := make(chan struct{})
			go func() {
				defer close(waited)
				wait(t, p)
			}()
			cancel()
			<-waited
		})
	}
}

// TestPending_FullIsTaken: a full batch is given out whatever fills it.
func TestPending_FullIsTaken(t *testing.T) {
	for name, full := range map[string]batch{
		"records":        {blocks: make([]nft.Block, 1), records: fullUnindexed},
		"blocks":         {blocks: make([]nft.Block, fullBlocks)},
		"document bytes": {documents: make([]nft.TokenMetadata, 1), documentBytes: fullDocuments},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPending(fullUnindexed)
			if p.batch = full; !full.full(p.full) {
				t.Fatal("the batch is not full")
			}
			// It must not wait: nothing follows.
			taken := make(chan bool)
			go func() {
				_, ok := p.take()
				taken <- ok
			}()
			if !<-taken {
				t.Error("the batch was not given out")
			}
		})
	}
}
