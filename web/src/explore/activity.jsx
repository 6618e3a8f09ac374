import { coverage } from './queries.js';
import { Section } from './section.jsx';

// Activity shows mints and burns by time, of one collection or all.
export const Activity = ({ address }) => (
  <Section id="activity" title="Mints and burns" question={coverage()}>
    {() => <p class="soft">The chart of {address ?? 'all collections'} follows.</p>}
  </Section>
);
