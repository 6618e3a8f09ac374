// Tells the Monaco editor where its workers are. The build puts them next to this file and
// defines WORKER_FILES with their names, so that they load from the page's own server and
// not from a blob: URL or a CDN.
globalThis.MonacoEnvironment = {
  getWorker(_id, label) {
    const file = WORKER_FILES[label] ?? WORKER_FILES.editor;
    return new Worker(new URL(file, import.meta.url));
  },
};
