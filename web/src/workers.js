// Tells the Monaco editor where its workers are. Their files are built beside
// this one and are named by the build (WORKER_FILES), so that they come from
// the page's own server and not from a blob: address or a CDN.
globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const file = WORKER_FILES[label] ?? WORKER_FILES.editor;
    return new Worker(new URL(file, import.meta.url));
  },
};
