package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"

	"mintburn/internal/fastql/plugin"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "gqlgen:", err)
		os.Exit(1)
	}
}

func generate() error {
	cfg, err := config.LoadConfigFromDefaultLocations()
	if err != nil {
		return err
	}
	// The file of an older schema may not compile.
	if err := os.Remove(plugin.Filename(cfg)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return api.Generate(cfg, api.PrependPlugin(plugin.Plugin{Bundles: []plugin.Bundle{
		{
			Struct:  "mintburn/internal/store.Filter",
			Fields:  strings.Fields("Query.mints Query.burns Collection.mints Collection.burns Token.mints Token.burns"),
			Besides: strings.Fields("finality order partial first after last before"),
		},
		{
			Struct:  "mintburn/internal/store/feed.Filter",
			Fields:  strings.Fields("Query.changes Subscription.changes"),
			Besides: strings.Fields("after first"),
		},
	}}))
}
