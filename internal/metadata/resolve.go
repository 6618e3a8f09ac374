package metadata

import (
	"context"
	"errors"
	"strings"
	"time"

	"mintburn/internal/nft"
	"mintburn/internal/retrying"
)

const (
	// maxTries is the number of immediate attempts for a document whose failures may pass
	// quickly.
	maxTries = 3
	// minPause is the pause after the first of these attempts. If a server asks for a
	// longer pause than maxPause, there is no further attempt.
	minPause = 500 * time.Millisecond
	maxPause = 5 * time.Second
)

// document fetches and reads the document of an answer. A failure becomes part of the
// resolution; document itself fails only with ctx's error.
func (r *run) document(ctx context.Context, a answer) (nft.Resolution, error) {
	var raw string
	var m nft.Metadata
	failure := a.failure
	if failure == nil {
		var err error
		raw, m, err = r.readSafely(ctx, a)
		if ctx.Err() != nil {
			return nft.Resolution{}, ctx.Err()
		}
		failure = asFailure(err)
	}
	now := r.Now()
	resolution := nft.Resolution{Task: a.task, At: uint64(now.Unix()), URI: a.uri, Collection: a.collection}
	var recheckAt uint64
	if r.Recheck > 0 {
		recheckAt = uint64(now.Add(r.Recheck).Unix())
	}
	document := &nft.TokenMetadata{
		TokenKey: a.task.TokenKey, Type: a.task.Type,
		UpdatedAt: resolution.At, FetchedAt: resolution.At,
		URI: a.uri, Raw: raw, Metadata: m,
	}
	if failure == nil {
		if resolution.NextAt = recheckAt; a.collection == nil {
			resolution.Document = document
		}
		return resolution, nil
	}
	if failure.busy {
		resolution.Collection = nil
		resolution.NextAt = uint64(now.Add(failure.After).Unix()) + 1
		return resolution, nil
	}
	resolution.Problem = failure.Reason
	resolution.NextAt = uint64(now.Add(r.backOff(failure, a.task.Attempts)).Unix())
	if failure.picture != "" && a.collection == nil {
		if m, err := Normalise(failure.picture, a.standard, a.task.TokenID); err == nil {
			document.Raw, document.Metadata = failure.picture, m
			resolution.Picture, resolution.PictureNextAt = document, recheckAt
		}
	}
	return resolution, nil
}

func asFailure(err error) *Failure {
	if err == nil {
		return nil
	}
	if failure, ok := errors.AsType[*Failure](err); ok {
		return failure
	}
	return permanent("%v", err)
}

// readSafely is read, but turns a panic of a decoder into a failure of the document.
func (r *run) readSafely(ctx context.Context, a answer) (raw string, m nft.Metadata, err error) {
	err = r.safely(func() (err error) {
		raw, m, err = r.read(ctx, a)
		return err
	})
	if _, panicked := errors.AsType[*retrying.PanicError](err); panicked {
		r.Log.Error("reading a document", "contract", a.task.Contract, "token", a.task.TokenID)
		err = permanent("the document cannot be read")
	}
	return raw, m, err
}

// read returns the text of a document and its content. That of a collection it adds to the
// answer instead.
func (r *run) read(ctx context.Context, a answer) (raw string, m nft.Metadata, err error) {
	uri := a.uri
	if a.collection != nil {
		if uri == "" {
			return "", m, nil
		}
		var content nft.CollectionMetadata
		raw, err = r.fetch(ctx, a, uri, func(text string) (err error) {
			content, err = NormaliseCollection(text)
			return err
		})
		if err == nil {
			a.collection.Document, a.collection.Raw = &content, raw
		}
		return "", m, err
	}
	if a.standard == nft.ERC1155 {
		if len(uri)+strings.Count(uri, placeholder)*64 > maxDataURI {
			return "", nft.Metadata{}, errTooLarge()
		}
		uri = ReplaceID(uri, a.task.TokenID)
	}
	raw, err = r.fetch(ctx, a, uri, func(text string) (err error) {
		m, err = Normalise(text, a.standard, a.task.TokenID)
		return err
	})
	return raw, m, err
}

// fetch fetches a document that accept accepts. It retries failures that may pass quickly a
// few times, but not timeouts.
func (r *run) fetch(ctx context.Context, a answer, uri string, accept func(text string) error) (string, error) {
	for try := 1; ; try++ {
		var began time.Time
		text, err := r.Fetcher.fetch(ctx, uri, a.task.Due, func() error {
			began = r.Now()
			return r.slow.admit(a.task.Contract, began)
		}, accept)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		failure := asFailure(err)
		if now := r.Now(); !began.IsZero() && (failure == nil || !failure.skipped) {
			isSlow := now.Sub(began) >= r.Fetcher.o.Timeout/2 || failure != nil && failure.timedOut
			r.slow.note(a.task.Contract, now, isSlow)
		}
		if failure == nil {
			return text, nil
		}
		if !failure.Temporary || failure.timedOut || failure.busy || failure.After > maxPause || try == maxTries {
			return "", failure
		}
		pause := retrying.Jitter(minPause<<(try-1), r.Random())
		if err := r.Sleep(ctx, max(pause, failure.After)); err != nil {
			return "", err
		}
	}
}
