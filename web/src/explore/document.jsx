import { Facts } from './facts.jsx';
import { pageLink } from './links.js';
import { OutsideLink } from './links.jsx';
import { MAX_TRAITS, traitCounts } from './queries.js';
import { useAnswer } from './section.jsx';
import { clean, count, countOf, moment } from './texts.js';

// MAX_ATTRIBUTES is the number of traits that are shown.
const MAX_ATTRIBUTES = 100;

// Document shows a token's document.
export const Document = ({ address, metadata }) => (metadata ? <Content address={address} metadata={metadata} /> : <p class="soft">It has not been fetched yet.</p>);

function Content({ address, metadata }) {
  const { attributes, description, uri, externalUrl, animationUrl, youtubeUrl, updatedAt } = metadata;
  const link = (url) => url && <OutsideLink url={url} />;
  return (
    <div>
      {description && (
        <p class="description" tabIndex={0}>
          <bdi>{clean(description, 5000)}</bdi>
        </p>
      )}
      {attributes.length > 0 && (
        <Traits address={address} attributes={attributes} />
      )}
      {attributes.length > MAX_ATTRIBUTES && <p class="soft">{count(attributes.length - MAX_ATTRIBUTES)} more traits; the query returns all of them.</p>}
      <Facts
        rows={[
          ['Document', stateOf(metadata)],
          ['Token URI', link(uri)],
          ['Website', link(externalUrl)],
          ['Animation', link(animationUrl)],
          ['Video', link(youtubeUrl)],
          ['Changed', updatedAt > 0 && moment(updatedAt)],
        ]}
      />
    </div>
  );
}

// Traits are the attributes, each with how many tokens of the collection have the same one, to which it leads. The
// server counts them only with an index of traits.
function Traits({ address, attributes }) {
  const { data } = useAnswer(traitCounts({ address, attributes: attributes.slice(0, MAX_TRAITS) }), 'BAD_USER_INPUT');
  return (
    <ul class="traits" aria-label="Traits">
      {attributes.slice(0, MAX_ATTRIBUTES).map(({ traitType, value, maxValue, traitCount }, i) => {
        const tokens = i < MAX_TRAITS ? data?.[`t${i}`]?.totalItems : undefined;
        return (
          <li key={i}>
            <bdi class="soft">{clean(traitType, 60)}</bdi>
            <bdi class="value">
              {clean(value, 120)}
              {maxValue !== null && ` of ${maxValue}`}
            </bdi>
            {tokens > 0 ? (
              <a href={pageLink(address, { traits: JSON.stringify([{ traitType, values: [value] }]) })}>
                {count(tokens)} of {count(data.all.totalItems)}
              </a>
            ) : (
              <span class="soft">one of {countOf(traitCount, 'value')}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function stateOf({ state, error, fetchedAt }) {
  const at = moment(fetchedAt);
  if (state === 'RESOLVED') return `fetched ${at}`;
  if (state === 'PENDING') return `fetched ${at}; a newer version may exist`;
  return (
    <>
      last attempt failed {at}: <bdi>{clean(error ?? '', 300)}</bdi>
    </>
  );
}
