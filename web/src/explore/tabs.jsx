import { pageLink } from './links.js';
import { count } from './texts.js';

// Tabs are links between pages that belong together: tabs are their URLs by name, shown is the name of
// the current one, and counts may have the number of things on some.
export const Tabs = ({ label, tabs, shown, counts = {} }) => (
  <nav class="tabs" aria-label={label}>
    {Object.entries(tabs).map(([name, href]) => (
      <a key={name} href={href} aria-current={name === shown ? 'page' : undefined}>
        <span>{name}</span> {counts[name] !== undefined && <span class="soft number">{count(counts[name])}</span>}
      </a>
    ))}
  </nav>
);

// ChainTabs are the pages of the chain.
export const ChainTabs = ({ shown }) => <Tabs label="Of the chain" shown={shown} tabs={{ lately: pageLink(), 'state of the index': pageLink('state') }} />;
