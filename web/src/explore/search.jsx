import { useEffect, useRef, useState } from 'preact/hooks';

import { ask } from './api.js';
import { nameOf, standardOf } from './gallery.jsx';
import { pageLink } from './links.js';
import { findAddress, findHash, findName, findTags, findTokens } from './queries.js';
import { navigate } from './router.js';
import { recognise } from './search.js';
import { clean, count, countOf, short } from './texts.js';

// NONE says what was not found, by the kind of what was looked for.
const NONE = {
  address: 'No collection or account with this address is indexed.',
  hash: 'No transaction or block with this hash has a mint or burn that is indexed.',
  token: 'No token with this id is indexed.',
  tag: 'The number of this block is not known yet.',
  name: 'No collection of that name is indexed.',
  link: 'This link has no address, hash or block in it.',
};

// noneOf returns what to say if nothing was found.
function noneOf({ kind, digits, title }) {
  if (digits) return `An address has 40 hex digits and a hash 64; this has ${digits}.`;
  return title ? 'No token or collection of that name is indexed.' : NONE[kind];
}

// findsOf returns what a recognised text leads to: a list of labels with what they are, a note and a path.
async function findsOf({ kind, address, hash, number, tag, search, title, tokenId }) {
  // What is in blocks that are not indexed is no find.
  const found = (question) => ask(question, 'BLOCK_NOT_INDEXED');
  const tokens = async (keys) => ((await found(findTokens({ keys }))).tokens ?? []).filter(Boolean).map(tokenFind);
  const collections = async (search) => (await found(findName({ search }))).collections.data;
  const blockFind = (number, label = 'Block') => ({ label: `${label} ${count(number)}`, note: '', path: `block/${number}` });
  if (kind === 'token') return tokens([{ address, tokenId }]);
  if (kind === 'block') return [blockFind(number)];
  if (kind === 'tag') {
    const { head, finalized } = (await ask(findTags())).chain;
    return [tag === 'latest' ? head && blockFind(head.number, 'Latest block') : finalized && blockFind(finalized.number, 'Finalized block')].filter(Boolean);
  }
  if (kind === 'name') {
    const [named, titled] = await Promise.all([collections(search), title ? collections(title) : []]);
    return [...(titled.length > 0 ? await tokens(titled.map(({ address }) => ({ address, tokenId }))) : []), ...named.map(collectionFind)];
  }
  if (kind === 'address') {
    const { collections, mints, burns } = await found(findAddress({ address }));
    const records = [mints, burns].map((list) => list?.totalItems ?? 0);
    const account = { label: `Account ${short(address)}`, note: `${countOf(records[0], 'mint')} received, ${countOf(records[1], 'burn')} sent`, path: `account/${address}` };
    return [...(collections?.data ?? []).map(collectionFind), ...(records[0] + records[1] > 0 ? [account] : [])];
  }
  if (kind === 'link') return [];
  const { transaction, mints } = await ask(findHash({ hash }), ['BLOCK_NOT_INDEXED', 'BLOCK_NOT_FOUND']);
  const block = mints?.indexed[0]?.fromBlock;
  return [
    transaction && { label: `Transaction ${short(hash)}`, note: `in block ${count(transaction.block.number)}`, path: `tx/${hash}` },
    block !== undefined && { ...blockFind(block), note: short(hash) },
  ].filter(Boolean);
}

const tokenFind = ({ address, tokenId, state, metadata }) => ({
  label: nameOf(metadata, tokenId),
  note: `token #${short(tokenId)} of ${short(address)}${state === 'BURNED' ? ', burned' : ''}`,
  path: `${address}/${tokenId}`,
});

const collectionFind = ({ address, name, contractType }) => ({
  label: clean(name ?? '', 80) || `Collection ${short(address)}`,
  note: `${name ? 'collection, ' : ''}${standardOf(contractType)} ${short(address)}`,
  path: address,
});

// Search is the search box. It lists what the text names, or says what it lacks; Enter opens the chosen
// or first one, and / moves the focus to it.
export function Search() {
  const input = useRef();
  const [text, setText] = useState('');
  const [{ finds, problem, of }, setFinds] = useState({});
  const [chosen, choose] = useState(0);
  const [open, setOpen] = useState(false);
  const thing = recognise(text);
  const done = of === text;

  useEffect(() => {
    const focus = (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return;
      event.preventDefault();
      input.current.focus();
      input.current.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);

  useEffect(() => {
    if (thing.kind === 'nothing') return setFinds({});
    let current = true;
    const set = (result) => current && (choose(0), setFinds({ ...result, of: text }));
    const start = setTimeout(() => findsOf(thing).then((finds) => set({ finds }), (problem) => set({ problem })), thing.kind === 'name' ? 200 : 0);
    return () => {
      current = false;
      clearTimeout(start);
    };
  }, [text]);

  const go = (find) => {
    setOpen(false);
    setText('');
    input.current.blur();
    navigate(pageLink(find.path));
  };
  const [waiting, wait] = useState(false);
  // Enter before the finds are there opens a single one when it comes.
  useEffect(() => {
    if (!waiting || !done) return;
    wait(false);
    if (finds?.length === 1) go(finds[0]);
  }, [waiting, done]);

  const shown = open && done && finds?.length > 0;
  const press = (event) => {
    if (event.key === 'Escape') return setOpen(false);
    if (event.key === 'Enter') {
      event.preventDefault();
      setOpen(true);
      if (shown) go(finds[chosen]);
      else wait(true);
    }
    if (!shown || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    choose((chosen + (event.key === 'ArrowDown' ? 1 : finds.length - 1)) % finds.length);
  };
  return (
    <div class="search" role="search">
      <input
        ref={input}
        role="combobox"
        aria-label="Search"
        aria-expanded={shown ? 'true' : 'false'}
        aria-controls="finds"
        aria-autocomplete="list"
        aria-activedescendant={shown ? `find-${chosen}` : undefined}
        aria-describedby="recognised"
        autocomplete="off"
        spellcheck={false}
        placeholder="Name, address, token, block or hash"
        value={text}
        onInput={(event) => (setText(event.target.value), setOpen(true))}
        onKeyDown={press}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
      />
      <kbd aria-hidden="true">/</kbd>
      <div class="finds" hidden={!open || thing.kind === 'nothing'}>
        <p id="recognised" class="soft" role="status">
          {thing.kind !== 'nothing' && (!done ? 'Searching…' : problem ? clean(problem.message, 200) : finds.length === 0 ? noneOf(thing) : countOf(finds.length, 'result'))}
        </p>
        <ul id="finds" role="listbox" aria-label="Results" hidden={!shown}>
          {shown &&
            finds.map(({ label, note, path }, i) => (
              <li key={path} id={`find-${i}`} role="option" aria-selected={i === chosen ? 'true' : 'false'} onMouseDown={(event) => (event.preventDefault(), go(finds[i]))}>
                <bdi>{label}</bdi> <span class="soft">{note}</span>
              </li>
            ))}
        </ul>
      </div>
    </div>
  );
}
