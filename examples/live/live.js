// Keeps a copy of the mints and burns since the page was opened, and shows what changes.
const server = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:8080';
const [state, count, list] = ['state', 'count', 'list'].map((id) => document.getElementById(id));

// records holds the records by id, and how each is shown.
const records = new Map();

// The browser reconnects by itself, and continues after the last change.
const source = new EventSource(`${server}/v1/changes?kind=added&kind=voided`);
source.onmessage = ({ data }) => apply(JSON.parse(data));

source.onopen = () => (state.textContent = 'Connected');
source.onerror = () => (state.textContent = source.readyState === EventSource.CLOSED ? 'Refused, reload the page' : 'Connecting');

function apply({ kind, mint, burn, from_block, to_block, cause }) {
  if (kind === 'added') {
    const { id, block_number, token_address, token_id } = mint ?? burn;
    records.get(id)?.item.remove(); // A change may come twice.
    records.set(id, { block_number, item: show(`Block ${block_number}: ${mint ? 'minted' : 'burned'} ${token_id} of ${token_address}`, 'record') });
  } else if (kind === 'voided') {
    for (const [id, { block_number, item }] of records) {
      if (block_number < from_block || block_number > to_block) continue;
      item.classList.add('void');
      records.delete(id);
    }
    show(`Blocks ${from_block} to ${to_block} are void: ${cause}`, 'reorg');
  }
  count.textContent = records.size;
}

// show adds a line at the top.
function show(text, className) {
  const item = document.createElement('li');
  item.className = className;
  item.textContent = text;
  list.prepend(item);
  if (list.children.length > 200) list.lastChild.remove();
  return item;
}
