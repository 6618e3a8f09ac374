// Verifies the file that a reader chooses, in the browser.
import { answersOf, verify } from './verify.js';

const [file, hash, state, records] = ['file', 'hash', 'state', 'records'].map((id) => document.getElementById(id));

file.onchange = hash.onchange = async () => {
  [state.textContent, records.textContent] = ['', ''];
  if (file.files.length === 0) return;
  try {
    const blockHash = hash.value.trim() || undefined;
    const lists = await Promise.all(answersOf(await file.files[0].text()).map((answer) => verify(answer, { blockHash })));
    state.textContent = `Proved: ${lists.flat().length} mints and burns in ${lists.length} blocks`;
    records.textContent = lists.flat().map((record) => JSON.stringify(record)).join('\n');
  } catch ({ message }) {
    state.textContent = message;
  }
};
