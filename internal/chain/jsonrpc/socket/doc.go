// Package socket sends HTTP requests as messages of a WebSocket: an [http.Client] with its
// [Transport] accepts ws and wss URLs, and reads their answers within the same bounds as
// those over HTTP.
//
// The package knows no JSON-RPC. A connection has one request at a time. Open socket.go.
package socket
