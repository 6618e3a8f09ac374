package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/Khan/genqlient/graphql"
)

func main() {
	url := cmp.Or(os.Getenv("MINTBURN_URL"), "http://127.0.0.1:8080/graphql")
	if err := run(context.Background(), graphql.NewClient(url, http.DefaultClient)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run pages through the mints of the collection of the last mint, and prints their number.
func run(ctx context.Context, client graphql.Client) error {
	last, err := LastMint(ctx, client)
	if err != nil {
		return err
	}
	address := last.Mints.Data[0].TokenAddress
	named, seen := 0, 0
	for after := (*string)(nil); ; {
		page, err := CollectionMints(ctx, client, address, after)
		if err != nil {
			return err
		}
		for _, mint := range page.Mints.Data {
			seen++
			if mint.Metadata != nil && mint.Metadata.Name != nil {
				named++
			}
		}
		if after = page.Mints.Cursor; after == nil {
			fmt.Printf("%s: %d of %d mints, %d with a name\n", address, seen, page.Mints.TotalItems, named)
			return nil
		}
	}
}
