import { Activity } from './activity.jsx';
import { CollectionCard, Gallery, RecordCard } from './gallery.jsx';
import { Heading } from './heading.jsx';
import { mintsOf, newestCollections } from './queries.js';
import { Section } from './section.jsx';

// Overview is the front page.
export function Overview() {
  return (
    <>
      <Heading title="What happened lately" />
      <Activity />
      <Section id="collections" title="Newest collections" question={newestCollections({ first: 6 })}>
        {({ collections }, { more }) => <Gallery page={collections} what="collection" Card={CollectionCard} more={(after) => more(newestCollections({ first: 6, after }))} />}
      </Section>
      <Section id="mints" title="Newest mints" question={mintsOf({ first: 24 })}>
        {({ mints }, { more }) => <Gallery page={mints} what="mint" Card={RecordCard} more={(after) => more(mintsOf({ first: 24, after }))} />}
      </Section>
    </>
  );
}
