import { Gallery, TokenCard } from './gallery.jsx';
import { tokensOf, tokensWith, traitsOf } from './queries.js';
import { useQuery } from './router.js';
import { Answered, More, Section, useAnswer } from './section.jsx';
import { clean, count, countOf } from './texts.js';

// CARDS and TRAITS are the numbers of tokens and of traits on a page.
const CARDS = 24;
const TRAITS = 10;

// Tokens is the gallery of a collection's tokens by id, beside the values of their traits, which select
// tokens. The parameter traits of the URL holds the chosen values.
export function Tokens({ address }) {
  const [{ traits: text }, set] = useQuery();
  const traits = traitsIn(text);
  const choose = (traitType, value) => {
    const values = traits.find((trait) => trait.traitType === traitType)?.values ?? [];
    const others = traits.filter((trait) => trait.traitType !== traitType);
    const now = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
    const all = now.length > 0 ? [...others, { traitType, values: now }] : others;
    set({ traits: all.length > 0 ? JSON.stringify(all) : undefined });
  };
  return (
    <div class="faceted">
      <Facets address={address} chosen={traits} choose={choose} />
      {traits.length > 0 ? <Selected key="selected" address={address} traits={traits} /> : <All key="all" address={address} />}
    </div>
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

function All({ address }) {
  const question = (after) => tokensOf({ address, first: CARDS, after });
  return (
    <Section id="tokens" title="Tokens" question={question()}>
      {({ collection }, { more }) => (collection ? <Gallery page={collection.tokens} what="token" Card={TokenCard} more={(after) => more(question(after))} /> : <p class="soft">No token is indexed.</p>)}
    </Section>
  );
}

function Selected({ address, traits }) {
  const question = (after) => tokensWith({ address, traits, first: CARDS, after });
  const itemOf = ({ id, tokenId, token, ...metadata }) => ({ id, address, tokenId, state: token?.state, metadata });
  return (
    <Section id="tokens" title="Tokens with these traits" question={question()}>
      {({ tokenMetadata: page }, { more }) => <Gallery page={{ ...page, data: page.data.map(itemOf) }} what="token" Card={TokenCard} more={(after) => more(question(after))} />}
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
    <Answered id="traits" title="Traits" question={question()} answer={answer}>
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
