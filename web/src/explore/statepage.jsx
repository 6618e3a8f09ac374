import { Heading } from './heading.jsx';
import { Old } from './old.jsx';
import { chainState } from './queries.js';
import { Section } from './section.jsx';
import { chainView } from './state.js';

// StatePage is the state of the index.
export function StatePage() {
  return (
    <>
      <Heading title="The state of the index" />
      <Section id="chain" title="Chain" question={chainState()}>
        {({ chain }) => <Old make={() => chainView({ chain })} />}
      </Section>
    </>
  );
}
