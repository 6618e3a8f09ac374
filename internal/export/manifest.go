package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"mintburn/internal/apierror"
	"mintburn/internal/evm"
)

// manifestName is the name of the manifest in the folder of an export in files, which readers of the
// folder skip. formerName is that of earlier builds. lockName is that of the file that an export holds.
const manifestName, formerName, lockName = "_manifest.json", "manifest.json", ".lock"

// maxManifest bounds a manifest, in bytes, and maxFiles the ranges of blocks that it may divide
// the blocks into.
const maxManifest, maxFiles = 64 << 20, 100_000

// manifest lists the files of an export by ranges of blocks, as of one committed state. The files of a
// first export are of this state or of later ones.
type manifest struct {
	// Version is the version of this form, manifestVersion.
	Version int    `json:"version"`
	Set     string `json:"set"`
	Format  string `json:"format"`
	// ChainID is nil if the database does not know its chain.
	ChainID *uint64 `json:"chain_id"`
	// Filter is the fingerprint of the filter.
	Filter string `json:"filter"`
	// PartitionBlocks is the number of blocks of each range.
	PartitionBlocks uint64 `json:"partition_blocks"`
	// Columns are the names of the columns of all files.
	Columns []string `json:"columns"`
	// Cursor is the place of the state in the log of changes.
	Cursor string `json:"cursor"`
	// Partial is set until a first export has ended.
	Partial bool `json:"partial,omitempty"`
	// Indexed are the indexed blocks that the export covers.
	Indexed []digested     `json:"indexed"`
	Rows    int64          `json:"rows"`
	Files   []manifestFile `json:"files"`
}

const manifestVersion = 1

type fromTo struct {
	FromBlock uint64 `json:"from_block"`
	ToBlock   uint64 `json:"to_block"`
}

// digested are indexed blocks with the digest of their records; nil with a filter.
type digested struct {
	fromTo
	Digest *evm.Hash `json:"digest,omitempty"`
}

// manifestFile is a file with the rows of a range of blocks.
type manifestFile struct {
	Name string `json:"name"`
	fromTo
	Rows  int64 `json:"rows"`
	Bytes int64 `json:"bytes"`
}

// fileName is the form of the names of files.
var fileName = regexp.MustCompile(`^(mints|burns)-\d+-\d+-[0-9a-z]{8}\.(ndjson|csv|parquet)$`)

// readManifest reads the manifest of a folder, also one with its former name, or returns nil if there
// is none.
func readManifest(folder string) (*manifest, error) {
	m, err := readNamed(folder, manifestName)
	if m == nil && err == nil {
		m, err = readNamed(folder, formerName)
	}
	return m, err
}

// readNamed reads a manifest, or returns nil if there is none.
func readNamed(folder, name string) (*manifest, error) {
	path := filepath.Join(folder, name)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m := &manifest{}
	decoder := json.NewDecoder(io.LimitReader(file, maxManifest))
	if err := decoder.Decode(m); err != nil || m.Version != manifestVersion {
		return nil, refused(folder, "%s is no manifest of version %d", path, manifestVersion)
	}
	for _, f := range m.Files {
		if !fileName.MatchString(f.Name) {
			return nil, refused(folder, "%s names the file %q", path, f.Name)
		}
	}
	return m, nil
}

// refused returns the error for a folder that is not one of this export.
func refused(folder, format string, args ...any) error {
	return apierror.Errorf(apierror.BadUserInput, "--output: %s: want another folder, or remove %s to write all files anew", fmt.Sprintf(format, args...), filepath.Join(folder, manifestName))
}

// check returns an error unless next, without its files, continues the manifest.
func (m *manifest) check(folder string, next *manifest) error {
	text := func(id *uint64) string {
		if id == nil {
			return "unknown"
		}
		return fmt.Sprint(*id)
	}
	switch {
	case m.Set != next.Set:
		return refused(folder, "%s has %s", folder, m.Set)
	case m.Format != next.Format:
		return refused(folder, "%s has files in the format %s", folder, m.Format)
	case m.PartitionBlocks != next.PartitionBlocks:
		return refused(folder, "%s has files of %d blocks", folder, m.PartitionBlocks)
	case m.ChainID != nil && text(m.ChainID) != text(next.ChainID):
		return refused(folder, "%s is of the chain %s, the database of the chain %s", folder, text(m.ChainID), text(next.ChainID))
	case m.Filter != next.Filter:
		return refused(folder, "%s was exported with another filter", folder)
	}
	return nil
}

// names returns the names of the files. A nil manifest has none.
func (m *manifest) names() map[string]manifestFile {
	names := map[string]manifestFile{}
	if m != nil {
		for _, f := range m.Files {
			names[f.Name] = f
		}
	}
	return names
}

// coverage returns the indexed blocks that the export covers. A nil manifest has none.
func (m *manifest) coverage() (ranges []evm.Range) {
	if m != nil {
		for _, r := range m.Indexed {
			ranges = append(ranges, evm.Range{From: r.FromBlock, To: r.ToBlock})
		}
	}
	return ranges
}

// cover sets the indexed blocks that the export covers.
func (m *manifest) cover(ranges []evm.Range) {
	m.Indexed = []digested{}
	for _, r := range ranges {
		m.Indexed = append(m.Indexed, digested{fromTo: fromTo{r.From, r.To}})
	}
}

// list sets the files, those of the given ranges of blocks.
func (m *manifest) list(partitions []uint64, files map[uint64]manifestFile) {
	m.Rows, m.Files = 0, []manifestFile{}
	for _, n := range partitions {
		if file, some := files[n]; some {
			m.Rows, m.Files = m.Rows+file.Rows, append(m.Files, file)
		}
	}
}

// publish writes the manifest, in one step, and calls sync with the folder.
func (m *manifest) publish(folder string, sync func(folder string) error) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(folder, manifestName)
	_, err = create(path+partSuffix, func(out io.Writer) error {
		_, err := out.Write(append(text, '\n'))
		return err
	})
	if err == nil {
		err = os.Rename(path+partSuffix, path)
	}
	if err == nil {
		err = sync(folder)
	}
	return err
}

// partSuffix ends the names of files that are not complete.
const partSuffix = ".part"

// create creates or replaces a file, and returns its size once it is on the disk.
func create(path string, write func(io.Writer) error) (size int64, err error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := write(file); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// syncFolder writes the names of a folder's files to the disk, where the system can do that.
func syncFolder(folder string) error {
	file, err := os.Open(folder)
	if err != nil {
		return err
	}
	_ = file.Sync()
	return file.Close()
}
