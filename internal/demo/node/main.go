package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/rpc"
)

func main() {
	log.SetFlags(0)
	listen := flag.String("listen", "127.0.0.1:8545", "address of the node")
	every := flag.Duration("every", 12*time.Second, "time between two blocks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *every); err != nil {
		log.Fatal(err)
	}
}

// serve serves the chain until ctx ends.
func serve(ctx context.Context, address string, every time.Duration) error {
	if every <= 0 {
		return fmt.Errorf("-every: got %s, want a time above 0", every)
	}
	c, err := open(time.Now())
	if err != nil {
		return err
	}
	methods := rpc.NewServer()
	if err := methods.RegisterName("eth", &eth{c}); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: methods, ReadHeaderTimeout: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	fmt.Printf("Node at http://%s, with a block every %s\n", listener.Addr(), every)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			if err := c.mine(now); err != nil {
				return errors.Join(err, server.Close())
			}
		case err := <-ended:
			return err
		case <-ctx.Done():
			return server.Close()
		}
	}
}
