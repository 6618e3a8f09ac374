// Tells the Monaco editor where its workers are. The build puts them next to this file and
// defines WORKER_FILES with their names, so that they load from the page's own server and
// not from a blob: URL or a CDN.
globalThis.MonacoEnvironment = {
  async getWorker(_id, label) {
    await (label === 'json' ? usesJSON : uses);
    const file = WORKER_FILES[label] ?? WORKER_FILES.editor;
    return new Worker(new URL(file, import.meta.url));
  },
};

// used waits until the visitor points at an editor, or focuses one.
const used = (editor) =>
  new Promise((resolve) => {
    const listening = new AbortController();
    const check = ({ target }) => {
      if (!target.closest?.(editor)) return;
      listening.abort();
      resolve();
    };
    for (const type of ['pointerover', 'focusin']) document.addEventListener(type, check, { signal: listening.signal });
  });

// Until an editor is used, no worker has anything to show. Those of JSON are the variables, the headers
// and the response.
const [uses, usesJSON] = [used('.monaco-editor'), used('[data-mode-id="json"]')];
