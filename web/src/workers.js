// Tells the Monaco editor where its workers are. The build puts them next to this file and
// defines WORKER_FILES with their names, so that they load from the page's own server and
// not from a blob: URL or a CDN. They wait until the browser is idle, which it first is when the
// editor is shown. Safari has no requestIdleCallback.
globalThis.MonacoEnvironment = {
  async getWorker(_id, label) {
    await new Promise(globalThis.requestIdleCallback ?? setTimeout);
    const file = WORKER_FILES[label] ?? WORKER_FILES.editor;
    return new Worker(new URL(file, import.meta.url));
  },
};
