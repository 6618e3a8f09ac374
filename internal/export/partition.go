package export

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
	"mintburn/internal/newfile"
	"mintburn/internal/nft"
	"mintburn/internal/store"
	"mintburn/internal/store/feed"
	"mintburn/internal/store/tables"
)

// An export in files has one file for each range of blocks with rows, and a manifest. The next
// export of the same folder writes the ranges that have changed since, in this order:
//
//  1. Remove the files that the manifest does not name, which a killed export left.
//  2. Write the new files, under names that no manifest has named.
//  3. Replace the manifest.
//  4. Remove the files that it no longer names.
//
// So the files that the manifest names are there and complete whenever the export ends.

// Update is the result of [Export.Update].
type Update struct {
	// Rows and Files are the numbers of rows and files of the whole export.
	Rows  int64
	Files int
	// Written and Removed are the numbers of files that were written and removed.
	Written, Removed int
}

// Update exports mints or burns into a folder, with one file for each range of blocks whose
// first number is a multiple of partition, which must be at least 1. If the folder has an
// export, Update writes only the ranges that changed. All rows are of one committed state.
// [Options.After] must be nil. Besides the errors of [Export.Run] and of the file system it
// returns an [apierror.Error] with the code BAD_USER_INPUT if the folder has another export, or
// if another process writes to it.
func (x *Export) Update(ctx context.Context, folder string, partition uint64) (result *Update, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, fmt.Errorf("--output: %w", err)
	}
	lock, err := newfile.Lock(filepath.Join(folder, lockName))
	if errors.Is(err, newfile.ErrHeld) {
		return nil, apierror.Errorf(apierror.BadUserInput, "--output: another export writes to %s: want another folder, or wait", folder)
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	old, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	x.snapshot = store.NewSnapshot(x.store.Snapshot())
	defer func() { err = errors.Join(err, x.snapshot.Close()) }()
	u := &updating{x: x, folder: folder, old: old, filter: x.opts.Filter}
	if err := u.plan(ctx, partition); err != nil {
		return nil, err
	}
	if _, err := removeStrays(ctx, folder, old); err != nil {
		return nil, err
	}
	return u.run(ctx)
}

// updating is an [Export.Update] that is under way.
type updating struct {
	x      *Export
	folder string
	filter store.Filter
	// old is the former manifest, nil if there is none, next the new one.
	old  *manifest
	next *manifest
	// partitions are the numbers of the ranges with indexed blocks, in order, and touched those
	// that may have changed. span is the range of blocks that the filter selects.
	partitions []uint64
	touched    map[uint64]bool
	span       evm.Range
	// written are the names of the new files.
	written []string
}

// plan finds the ranges with rows and those that may have changed.
func (u *updating) plan(ctx context.Context, partition uint64) error {
	x, f := u.x, &u.filter
	if f.Kind = nft.Mint; x.opts.Set == Burns {
		f.Kind = nft.Burn
	}
	if f.Lists != nil {
		f.Lists = f.Lists.Sets()
	}
	ranged := *f
	if ranged.ToBlock == nil {
		ranged.ToBlock = new(evm.Long(evm.MaxLong))
	}
	for _, f := range []store.Filter{*f, ranged} {
		if err := f.Check(); err != nil {
			return err
		}
	}
	chain, err := x.snapshot.Chain(ctx)
	if err != nil {
		return err
	}
	u.next = &manifest{
		Version: manifestVersion, Set: x.opts.Set, Format: x.opts.Format, ChainID: chain.ID, PartitionBlocks: partition,
		Filter: fmt.Sprintf("%016x", f.Fingerprint(nil)), Indexed: []fromTo{}, Files: []manifestFile{},
	}
	for i := range transferColumns {
		u.next.Columns = append(u.next.Columns, transferColumns[i].Name)
	}
	var cursor *string
	var before []evm.Range
	if u.old != nil {
		if err := u.old.check(u.folder, u.next); err != nil {
			return err
		}
		cursor = &u.old.Cursor
		for _, r := range u.old.Indexed {
			before = append(before, evm.Range{From: r.FromBlock, To: r.ToBlock})
		}
	}
	_, _, indexed, err := store.RangeOf(ctx, x.snapshot.Snapshot, *f)
	if err != nil {
		return err
	}
	changed, now, err := feed.Touched(ctx, x.snapshot, cursor)
	if known := new(apierror.Error); errors.As(err, &known) && (known.Code == apierror.ChangesExpired || known.Code == apierror.InvalidCursor) {
		return refused(u.folder, "%s was exported from another database, or the database has lost commits since", u.folder)
	}
	if err != nil {
		return err
	}
	u.next.Cursor, x.indexed = now, indexed
	for _, r := range indexed {
		u.next.Indexed = append(u.next.Indexed, fromTo{r.From, r.To})
	}
	if u.old != nil && !slices.Equal(u.old.Columns, u.next.Columns) {
		// Readers need the same columns in all files, and a release may add some.
		changed = indexed
	}
	changed = slices.Concat(changed, tables.Without(indexed, before...), tables.Without(before, indexed...))
	return u.divide(partition, indexed, changed)
}

// divide divides the indexed blocks, and those that changed, into ranges.
func (u *updating) divide(partition uint64, indexed, changed []evm.Range) error {
	u.touched = map[uint64]bool{}
	if len(indexed) == 0 {
		return nil
	}
	u.span = evm.Range{From: indexed[0].From, To: indexed[len(indexed)-1].To}
	if n := u.span.To/partition - u.span.From/partition; n >= maxFiles {
		return apierror.Errorf(apierror.BadUserInput, "--partition-blocks: got %d, which makes %d files: want at least %d", partition, n+1, u.span.To/maxFiles+1)
	}
	for _, r := range indexed {
		for n := r.From / partition; n <= r.To/partition; n++ {
			if len(u.partitions) == 0 || n > u.partitions[len(u.partitions)-1] {
				u.partitions = append(u.partitions, n)
			}
		}
	}
	// Blocks of the first and the last range may have changed outside of the span.
	all := evm.Range{From: u.span.From / partition * partition, To: u.span.To/partition*partition + partition - 1}
	for _, r := range tables.Common(changed, all) {
		for n := r.From / partition; n <= r.To/partition; n++ {
			u.touched[n] = true
		}
	}
	return nil
}

// run writes the files and the manifest.
func (u *updating) run(ctx context.Context) (result *Update, err error) {
	current := u.old
	defer func() {
		if err != nil {
			// Without ctx, which may have ended.
			_, clean := removeStrays(context.WithoutCancel(ctx), u.folder, current)
			err = errors.Join(err, clean)
		}
	}()
	kept := map[uint64]manifestFile{}
	for name, f := range u.old.names() {
		info, err := os.Stat(filepath.Join(u.folder, name))
		if n := f.FromBlock / u.next.PartitionBlocks; err == nil && info.Size() == f.Bytes {
			kept[n] = f
		} else {
			u.touched[n] = true
		}
	}
	for _, n := range u.partitions {
		file, some := kept[n]
		if u.touched[n] {
			if file, some, err = u.write(ctx, n); err != nil {
				return nil, err
			}
		}
		if some {
			u.next.Files = append(u.next.Files, file)
			u.next.Rows += file.Rows
		}
	}
	for _, name := range u.written {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		path := filepath.Join(u.folder, name)
		if err := os.Rename(path+partSuffix, path); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(ctx.Err(), syncFolder(u.folder)); err != nil {
		return nil, err
	}
	if err := u.next.publish(u.folder); err != nil {
		return nil, err
	}
	current = u.next
	removed, err := removeStrays(ctx, u.folder, current)
	return &Update{Rows: current.Rows, Files: len(current.Files), Written: len(u.written), Removed: removed}, err
}

// write writes the file of a range, and returns false if it has no rows.
func (u *updating) write(ctx context.Context, n uint64) (file manifestFile, some bool, err error) {
	x, size := u.x, u.next.PartitionBlocks
	file.FromBlock, file.ToBlock = n*size, n*size+size-1
	file.Name = fmt.Sprintf("%s-%d-%d-%s.%s", x.opts.Set, file.FromBlock, file.ToBlock, strings.ToLower(rand.Text()[:8]), x.opts.Format)
	f := u.filter
	// The snapshot has answered what these select.
	f.FromTime, f.ToTime, f.Finality, f.Partial = nil, nil, "", true
	f.FromBlock, f.ToBlock = new(evm.Long(max(file.FromBlock, u.span.From))), new(evm.Long(min(file.ToBlock, u.span.To)))
	indexed, before := x.indexed, x.Rows()
	x.opts.Filter, x.opts.Names, x.cursor = f, true, nil
	path := filepath.Join(u.folder, file.Name+partSuffix)
	file.Bytes, err = create(path, func(out io.Writer) error {
		buffered := bufio.NewWriterSize(out, 64<<10)
		return errors.Join(x.Run(ctx, buffered), buffered.Flush())
	})
	x.indexed = indexed
	if err != nil {
		return file, false, err
	}
	if file.Rows = x.Rows() - before; file.Rows == 0 {
		return file, false, os.Remove(path)
	}
	u.written = append(u.written, file.Name)
	return file, true, nil
}

// removeStrays removes the files that the manifest does not name, and returns the number of
// complete ones. m may be nil.
func removeStrays(ctx context.Context, folder string, m *manifest) (removed int, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	named := m.names()
	for _, entry := range entries {
		name, part := strings.CutSuffix(entry.Name(), partSuffix)
		if _, keep := named[entry.Name()]; keep || !fileName.MatchString(name) && entry.Name() != manifestName+partSuffix {
			continue
		}
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
			return removed, err
		}
		if !part {
			removed++
		}
	}
	return removed, nil
}
