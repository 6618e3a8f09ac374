import { Facts } from './facts.jsx';
import { Moment } from './moment.jsx';
import { OutsideLink } from './links.jsx';
import { Picture } from './picture.jsx';
import { versionsOf } from './queries.js';
import { Section } from './section.jsx';
import { clean, countOf } from './texts.js';

// FIRST is the number of versions that are shown.
const FIRST = 20;

const CAUSES = { FIRST: 'first document', EVENT: 'announced by the contract', RECHECK: 'found by a later check', IMPORT: 'imported' };

// Versions shows the documents that a token had, newest first.
export function Versions({ address, tokenId }) {
  return (
    <Section id="versions" title="Versions of the document" question={versionsOf({ address, tokenId, first: FIRST })}>
      {({ tokenMetadata }) => {
        const page = tokenMetadata.data[0]?.versions;
        if (!page || page.totalItems === 0) return <p class="soft">No version is stored.</p>;
        return (
          <>
            <ol class="history">
              {page.data.map((version) => (
                <Version key={version.fetchedAt} address={address} tokenId={tokenId} version={version} />
              ))}
            </ol>
            {page.cursor && <p class="soft">The newest {FIRST} of {countOf(page.totalItems, 'version')}.</p>}
          </>
        );
      }}
    </Section>
  );
}

function Version({ address, tokenId, version: { fetchedAt, uri, raw, cause } }) {
  const { name, image, image_data: imageData } = textsOf(raw);
  return (
    <li>
      <div class="small">
        <Picture address={address} tokenId={tokenId} name="" metadata={{ image, imageData }} />
      </div>
      <div>
        <p>
          <bdi>{clean(name ?? '', 120) || 'Document without a name'}</bdi>
        </p>
        <p class="soft">
          <Moment at={fetchedAt} />, {CAUSES[cause]}
        </p>
        <details>
          <summary>Document</summary>
          <Facts rows={[['Token URI', uri && <OutsideLink url={uri} />]]} />
          <pre tabIndex={0}>{clean(raw ?? '', 10_000)}</pre>
        </details>
      </div>
    </li>
  );
}

// textsOf returns the texts of a JSON object by their names.
function textsOf(raw) {
  try {
    return Object.fromEntries(Object.entries(JSON.parse(raw)).filter(([, value]) => typeof value === 'string'));
  } catch {
    return {};
  }
}
