package serving

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"mintburn/internal/apikeys"
	"mintburn/internal/command/flags"
	"mintburn/internal/reload"
)

// keyring holds the API keys last loaded from the file of --api-keys.
type keyring struct {
	path    string
	loaded  prometheus.Gauge
	present atomic.Pointer[apikeys.Set]
}

// load is the Load of [reload.Files].
func (k *keyring) load() error {
	text, err := reload.Read(k.path, apikeys.MaxFile)
	if err != nil {
		return flags.Error("--api-keys", err)
	}
	set, err := apikeys.Parse(text)
	if err != nil {
		return fmt.Errorf("--api-keys: %s: %w", k.path, err)
	}
	k.present.Store(set)
	k.loaded.Set(float64(set.Len()))
	return nil
}

// certificate holds the key pair last loaded from --tls-cert and --tls-key.
type certificate struct {
	cert, key string
	present   atomic.Pointer[tls.Certificate]
}

// maxPEM bounds a certificate or key file, in bytes.
const maxPEM = 1 << 20

// load is the Load of [reload.Files].
func (c *certificate) load() error {
	cert, err := reload.Read(c.cert, maxPEM)
	if err != nil {
		return flags.Error("--tls-cert", err)
	}
	key, err := reload.Read(c.key, maxPEM)
	if err != nil {
		return flags.Error("--tls-key", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.cert, c.key, err)
	}
	c.present.Store(&pair)
	return nil
}

// config returns the TLS configuration of a server that presents the certificate.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.present.Load(), nil },
	}
}

// loads are the metrics of the files that this process loads.
type loads struct {
	apiKeys prometheus.Gauge
	reloads *prometheus.CounterVec
}

// newLoads returns the metrics of a process that has loaded nothing yet.
func newLoads() *loads {
	reloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "mintburn_file_reloads_total", Help: "File reloads after a change or a signal, by outcome.",
	}, []string{"file", "outcome"})
	for _, file := range []string{"api_keys", "certificate"} {
		reloads.WithLabelValues(file, "loaded")
		reloads.WithLabelValues(file, "failed")
	}
	return &loads{prometheus.NewGauge(prometheus.GaugeOpts{Name: "mintburn_api_keys", Help: "Loaded API keys, expired ones included."}), reloads}
}
