import { useState } from 'preact/hooks';

import { ask } from './api.js';
import { Gallery, TokenCard } from './gallery.jsx';
import { pageLink } from './links.js';
import { findTokens, tokensByRecord, tokensOf, tokensWith, traitsOf } from './queries.js';
import { navigate, useQuery } from './router.js';
import { Answered, More, Section, useAnswer } from './section.jsx';
import { clean, count, countOf, short } from './texts.js';

// CARDS and TRAITS are the numbers of tokens and of traits on a page.
const CARDS = 30;
const TRAITS = 10;

// LISTS are the orders of a collection's tokens, by their names in the URL's query.
const LISTS = { id: 'by id', newest: 'newest first', oldest: 'oldest first' };

// SHOWN are the choices of tokens by their state.
const SHOWN = { all: 'all', existing: 'existing', burned: 'burned' };

const STATES = { existing: 'EXISTS', burned: 'BURNED' };

// Tokens is the gallery of a collection's tokens, beside the values of their traits, which select tokens. The
// URL's query holds the chosen values, the order and the state.
export function Tokens({ address }) {
  const [{ traits: text, order, show }, set] = useQuery();
  const traits = traitsIn(text);
  const shown = Object.hasOwn(SHOWN, show ?? '') ? show : 'all';
  // The burned ones are found by their burns.
  const list = order !== 'id' && Object.hasOwn(LISTS, order ?? '') ? order : shown === 'burned' ? 'newest' : 'id';
  const choose = (traitType, value) => {
    const values = traits.find((trait) => trait.traitType === traitType)?.values ?? [];
    const others = traits.filter((trait) => trait.traitType !== traitType);
    const now = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
    const all = now.length > 0 ? [...others, { traitType, values: now }] : others;
    set({ traits: all.length > 0 ? JSON.stringify(all) : undefined });
  };
  const select = (name, label, options, value, initial) => (
    <label>
      {label}{' '}
      <select value={value} onChange={({ target }) => set({ [name]: target.value === initial ? undefined : target.value })}>
        {Object.entries(options).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const { id, ...byTime } = LISTS;
  return (
    <>
      <div class="controls">
        <FindId address={address} />
        {traits.length === 0 && select('order', 'Order', shown === 'burned' ? byTime : LISTS, list, shown === 'burned' ? 'newest' : 'id')}
        {select('show', 'Show', SHOWN, shown, 'all')}
      </div>
      <div class="faceted">
        <Facets address={address} chosen={traits} choose={choose} />
        <List key={`${list} ${shown} ${text ?? ''}`} address={address} {...listOf({ address, traits, list, shown })} state={STATES[shown]} />
      </div>
    </>
  );
}

// FindId opens a token of the collection by its id, or says that there is none.
function FindId({ address }) {
  const [said, say] = useState('');
  const submit = async (event) => {
    event.preventDefault();
    const tokenId = new FormData(event.target).get('id').trim().replace(/^#/, '');
    if (!/^[0-9]{1,78}$/.test(tokenId)) return say('An id is a number.');
    try {
      const { tokens, unknown } = await ask(findTokens({ keys: [{ address, tokenId }] }), 'BLOCK_NOT_INDEXED');
      if (tokens?.[0]) return navigate(pageLink(`${address}/${tokens[0].tokenId}`));
      return say(unknown ? 'That token may be in blocks that are not indexed.' : `This collection has no token ${short(tokenId)}.`);
    } catch (problem) {
      return say(clean(problem.message, 200));
    }
  };
  return (
    <form class="find-id" onSubmit={submit}>
      <label>
        Id <input name="id" inputMode="numeric" autocomplete="off" placeholder="205" required onInput={() => say('')} />
      </label>
      <button>Go</button>
      <span class="soft" role="status">
        {said}
      </span>
    </form>
  );
}

// traitsIn returns the filters in a text of the URL, or none.
function traitsIn(text) {
  try {
    return JSON.parse(text).filter(({ traitType, values }) => typeof traitType === 'string' && values.every((value) => typeof value === 'string'));
  } catch {
    return [];
  }
}

// listOf returns how a list of tokens is asked for: its title, the question after a cursor, the page in an
// answer, a token of it, and what its items are.
function listOf({ address, traits, list, shown }) {
  if (traits.length > 0) {
    return {
      title: 'Tokens with these traits',
      question: (after) => tokensWith({ address, traits, first: CARDS, after }),
      pageOf: ({ tokenMetadata }) => tokenMetadata,
      itemOf: ({ tokenId, token, ...metadata }) => ({ tokenId, state: token?.state, metadata }),
    };
  }
  if (list === 'id') {
    return { title: 'Tokens', question: (after) => tokensOf({ address, first: CARDS, after }), pageOf: ({ collection }) => collection?.tokens, itemOf: (token) => token };
  }
  const field = shown === 'burned' ? 'burns' : 'mints';
  return {
    title: 'Tokens',
    question: (after) => tokensByRecord({ address, field, order: list === 'newest' ? 'DESC' : 'ASC', first: CARDS, after }),
    pageOf: (data) => data[field],
    itemOf: ({ tokenId, token, metadata }) => ({ tokenId, state: token.state, metadata }),
    what: field.slice(0, -1),
  };
}

// List shows the tokens of a list, each once, or only those in a state.
function List({ address, title, question, pageOf, itemOf, what = 'token', state }) {
  return (
    <Section id="tokens" title={title} question={question()} cards={CARDS}>
      {(data, { more }) => {
        const page = pageOf(data);
        if (!page) return <p class="soft">No token is indexed.</p>;
        const tokens = new Map();
        for (const item of page.data.map(itemOf)) if (!tokens.has(item.tokenId) && (!state || item.state === state)) tokens.set(item.tokenId, { ...item, id: item.tokenId, address });
        const whole = what === 'token' && !state;
        const note = whole ? undefined : `${countOf(tokens.size, 'token')} in ${count(page.data.length)} of ${countOf(page.totalItems, what)}`;
        return <Gallery page={{ ...page, data: [...tokens.values()] }} what="token" Card={TokenCard} more={(after) => more(question(after))} note={note} />;
      }}
    </Section>
  );
}

// Facets are the traits of a collection with their values. Nothing is shown without traits.
function Facets({ address, chosen, choose }) {
  const question = (after) => traitsOf({ address, first: TRAITS, after });
  const answer = useAnswer(question(), 'BAD_USER_INPUT');
  const page = answer.data?.collection?.traits;
  if (!page || page.data.length === 0) return null;
  return (
    <Answered id="traits" title="Traits" answer={answer}>
      {({ indexed }) => (
        <>
          {page.data.map((trait) => {
            const picked = chosen.find(({ traitType }) => traitType === trait.traitType)?.values ?? [];
            return <Facet key={trait.traitType} trait={trait} picked={picked} choose={indexed && ((value) => choose(trait.traitType, value))} />;
          })}
          {!indexed && <p class="soft">Without an index of traits, the server counts them only.</p>}
          {page.cursor && <More load={() => answer.more(question(page.cursor))} label="More traits" />}
        </>
      )}
    </Answered>
  );
}

function Facet({ trait: { traitType, distinctValues, values }, picked, choose }) {
  return (
    <details open={picked.length > 0}>
      <summary>
        <bdi>{clean(traitType, 60) || 'without a name'}</bdi> <span class="soft">{count(distinctValues)}</span>
      </summary>
      {values.map(({ value, tokens }) => (
        <label key={value}>
          <input type="checkbox" disabled={!choose} checked={picked.includes(value)} onChange={() => choose(value)} />
          <bdi>{clean(value, 80)}</bdi>
          <span class="soft number">{count(tokens)}</span>
        </label>
      ))}
      {distinctValues > values.length && (
        <p class="soft">
          The {count(values.length)} most frequent of {countOf(distinctValues, 'value')}.
        </p>
      )}
    </details>
  );
}
