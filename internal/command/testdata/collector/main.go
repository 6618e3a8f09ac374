// Collector receives traces with the receiver of OpenTelemetry's collector, and prints each
// request in base64. Its argument is the address on which it receives OTLP over HTTP.
package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, address string) error {
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	given := map[string]any{"protocols": map[string]any{"http": map[string]any{"endpoint": address}}}
	if err := confmap.NewFromStringMap(given).Unmarshal(config); err != nil {
		return err
	}
	var mu sync.Mutex // guards standard output
	to, err := consumer.NewTraces(func(_ context.Context, traces ptrace.Traces) error {
		raw, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(traces)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		_, err = fmt.Println(base64.StdEncoding.EncodeToString(raw))
		return err
	})
	if err != nil {
		return err
	}
	receiver, err := factory.CreateTraces(ctx, receivertest.NewNopSettings(factory.Type()), config, to)
	if err != nil {
		return err
	}
	if err := receiver.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	return receiver.Shutdown(context.WithoutCancel(ctx))
}
