import { Facts } from './facts.jsx';
import { nameOf } from './gallery.jsx';
import { OutsideLink } from './links.jsx';
import { ImageNotice, Picture } from './picture.jsx';
import { clean, count, countOf, moment } from './texts.js';

// MAX_ATTRIBUTES is the number of traits that are shown.
const MAX_ATTRIBUTES = 100;

// Document shows a token's document.
export const Document = ({ address, tokenId, metadata }) => (
  <div class="token">
    <div>
      <Picture address={address} tokenId={tokenId} name={nameOf(metadata, tokenId)} metadata={metadata} />
      <ImageNotice documents={[metadata]} />
    </div>
    {metadata ? <Content metadata={metadata} /> : <p class="soft">The document of this token has not been fetched yet.</p>}
  </div>
);

function Content({ metadata }) {
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
        <ul class="traits" aria-label="Traits">
          {attributes.slice(0, MAX_ATTRIBUTES).map(({ traitType, value, maxValue, traitCount }, i) => (
            <li key={i}>
              <bdi class="soft">{clean(traitType, 60)}</bdi>
              <bdi class="value">
                {clean(value, 120)}
                {maxValue !== null && ` of ${maxValue}`}
              </bdi>
              <span class="soft">one of {countOf(traitCount, 'value')}</span>
            </li>
          ))}
        </ul>
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
