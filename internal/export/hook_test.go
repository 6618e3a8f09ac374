package export

import "context"

// UpdateSyncing is [Export.Update] with the function that writes the names of files to the disk.
func (x *Export) UpdateSyncing(ctx context.Context, folder string, partition uint64, sync func(folder string) error) (*Update, error) {
	return x.update(ctx, folder, partition, sync)
}
