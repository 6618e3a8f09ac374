package export

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
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
//
// A first export writes each file of final blocks from a snapshot of its own, and repeats steps 2 and 3
// for it, because one snapshot for all would last too long: a standby ends it, and SQLite's log grows.
// The cursor of the manifest is that of the first snapshot, so the next export writes again what changed
// since.

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
// export, Update writes only the ranges that changed. All rows are of one committed state, except
// final ones of a first export.
// [Options.After] must be nil. Besides the errors of [Export.Run] and of the file system it
// returns an [apierror.Error] with the code BAD_USER_INPUT if the folder has another export, or
// if another process writes to it.
func (x *Export) Update(ctx context.Context, folder string, partition uint64) (*Update, error) {
	return x.update(ctx, folder, partition, syncFolder)
}

// update is Update with the function that writes the names of a folder's files to the disk.
func (x *Export) update(ctx context.Context, folder string, partition uint64, sync func(folder string) error) (result *Update, err error) {
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
	u := &updating{x: x, folder: folder, old: old, filter: x.opts.Filter, sync: sync}
	if err := u.plan(ctx, partition); err != nil {
		return nil, err
	}
	if _, err := removeStrays(ctx, folder, old.names()); err != nil {
		return nil, err
	}
	return u.run(ctx)
}

// updating is an [Export.Update] that is under way.
type updating struct {
	x      *Export
	folder string
	filter store.Filter
	sync   func(folder string) error
	// old is the former manifest, nil if there is none, next the new one.
	old  *manifest
	next *manifest
	// partitions are the numbers of the ranges with indexed blocks, in order, and touched those
	// that may have changed. span is the range of blocks that the filter selects.
	partitions []uint64
	touched    map[uint64]bool
	span       evm.Range
	// final is the last final block, nil if none is known.
	final *uint64
	// written is the number of new files, unnamed are those without their names yet.
	written int
	unnamed []string
}

// plan finds the ranges with rows and those that may have changed.
func (u *updating) plan(ctx context.Context, partition uint64) error {
	x, f := u.x, &u.filter
	if f.Kind = nft.Mint; x.opts.Set == Burns {
		f.Kind = nft.Burn
	}
	f.Sort()
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
		Filter: fmt.Sprintf("%016x", f.Fingerprint(nil)),
	}
	if chain.Finalized != nil {
		u.final = &chain.Finalized.Number
	}
	for i := range transferColumns {
		u.next.Columns = append(u.next.Columns, transferColumns[i].Name)
	}
	var cursor *string
	if u.old != nil {
		if err := u.old.check(u.folder, u.next); err != nil {
			return err
		}
		cursor = &u.old.Cursor
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
	u.next.cover(indexed)
	before := u.old.coverage()
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
	defer func() {
		if err != nil {
			// Without ctx, which may have ended.
			err = errors.Join(err, u.clean(context.WithoutCancel(ctx)))
		}
	}()
	files := map[uint64]manifestFile{}
	for name, f := range u.old.names() {
		info, err := os.Stat(filepath.Join(u.folder, name))
		if n := f.FromBlock / u.next.PartitionBlocks; err == nil && info.Size() == f.Bytes {
			files[n] = f
		} else {
			u.touched[n] = true
		}
	}
	if u.old == nil || u.old.Partial {
		if err := u.writeFinal(ctx, files); err != nil {
			return nil, err
		}
	}
	for _, n := range u.partitions {
		if u.touched[n] {
			if err := u.write(ctx, n, files); err != nil {
				return nil, err
			}
		}
	}
	u.next.list(u.partitions, files)
	u.x.opts.Filter, u.x.began = u.filter, u.x.indexed
	if err := u.x.readDigests(ctx, u.x.snapshot, u.x.indexed); err != nil {
		return nil, err
	}
	for i, d := range u.x.digests {
		u.next.Indexed[i].Digest = &d.Digest
	}
	if err := u.publish(ctx, u.next); err != nil {
		return nil, err
	}
	removed, err := removeStrays(ctx, u.folder, u.next.names())
	return &Update{Rows: u.next.Rows, Files: len(u.next.Files), Written: u.written, Removed: removed}, err
}

// clean removes the files that a failed update has left, but none that the former manifest or that in
// the folder names: an error may follow the rename of the manifest, or precede its way to the disk.
func (u *updating) clean(ctx context.Context) error {
	current, err := readManifest(u.folder)
	if err != nil {
		return err
	}
	names := u.old.names()
	maps.Copy(names, current.names())
	_, err = removeStrays(ctx, u.folder, names)
	return err
}

// writeFinal writes each touched file whose blocks are final from a snapshot of its own, and names it in
// the manifest before the next.
func (u *updating) writeFinal(ctx context.Context, files map[uint64]manifestFile) error {
	m, size, done := *u.next, u.next.PartitionBlocks, u.old.coverage()
	if m.Partial = true; u.old != nil {
		m.Cursor = u.old.Cursor
	}
	for _, n := range u.partitions {
		last := n*size + size - 1
		if !u.touched[n] || u.final == nil || min(last, u.span.To) > *u.final {
			continue
		}
		if err := u.renew(); err != nil {
			return err
		}
		if err := u.write(ctx, n, files); err != nil {
			return err
		}
		delete(u.touched, n)
		if done = (evm.Range{From: n * size, To: last}).Join(done); len(u.unnamed) > 0 {
			m.cover(tables.Without(u.x.indexed, tables.Without(u.x.indexed, done...)...))
			m.list(u.partitions, files)
			if err := u.publish(ctx, &m); err != nil {
				return err
			}
		}
	}
	return u.renew()
}

// renew replaces the snapshot that files are written from.
func (u *updating) renew() error {
	err := u.x.snapshot.Close()
	u.x.snapshot = store.NewSnapshot(u.x.store.Snapshot())
	return err
}

// publish gives new files their names, and replaces the manifest.
func (u *updating) publish(ctx context.Context, m *manifest) error {
	for _, name := range u.unnamed {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(u.folder, name)
		if err := os.Rename(path+partSuffix, path); err != nil {
			return err
		}
	}
	u.written, u.unnamed = u.written+len(u.unnamed), nil
	if err := errors.Join(ctx.Err(), u.sync(u.folder)); err != nil {
		return err
	}
	return m.publish(u.folder, u.sync)
}

// write writes the file of a range, and adds it to files, unless it has no rows.
func (u *updating) write(ctx context.Context, n uint64, files map[uint64]manifestFile) error {
	x, size, file := u.x, u.next.PartitionBlocks, manifestFile{}
	file.FromBlock, file.ToBlock = n*size, n*size+size-1
	file.Name = fmt.Sprintf("%s-%d-%d-%s.%s", x.opts.Set, file.FromBlock, file.ToBlock, strings.ToLower(rand.Text()[:8]), x.opts.Format)
	f := u.filter
	// The snapshot has answered what these select.
	f.FromTime, f.ToTime, f.Finality, f.Partial = nil, nil, "", true
	f.FromBlock, f.ToBlock = new(evm.Long(max(file.FromBlock, u.span.From))), new(evm.Long(min(file.ToBlock, u.span.To)))
	indexed, before := x.indexed, x.Rows()
	x.opts.Filter, x.opts.Names, x.cursor = f, true, nil
	path := filepath.Join(u.folder, file.Name+partSuffix)
	var err error
	file.Bytes, err = create(path, func(out io.Writer) error {
		buffered := bufio.NewWriterSize(out, 64<<10)
		return errors.Join(x.Run(ctx, buffered), buffered.Flush())
	})
	x.indexed = indexed
	delete(files, n)
	if err != nil {
		return err
	}
	if file.Rows = x.Rows() - before; file.Rows == 0 {
		return os.Remove(path)
	}
	files[n], u.unnamed = file, append(u.unnamed, file.Name)
	return nil
}

// removeStrays removes the files of exports that are not named, and returns the number of complete ones.
// It also removes the manifest with the former name, once there is one with the new name.
func removeStrays(ctx context.Context, folder string, named map[string]manifestFile) (removed int, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return 0, err
	}
	isName := func(name string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name })
	}
	for _, entry := range entries {
		name, part := strings.CutSuffix(entry.Name(), partSuffix)
		_, keep := named[entry.Name()]
		switch {
		case keep:
			continue
		case name == formerName && !part:
			// It may be a file of another program.
			if former, err := readNamed(folder, formerName); err != nil || former == nil || !isName(manifestName) {
				continue
			}
		case !fileName.MatchString(name) && !(part && (name == manifestName || name == formerName)):
			continue
		}
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		if err := os.Remove(filepath.Join(folder, entry.Name())); err != nil {
			return removed, err
		}
		if fileName.MatchString(entry.Name()) {
			removed++
		}
	}
	return removed, nil
}
