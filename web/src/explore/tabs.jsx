import { pageLink } from './links.js';

// Tabs are links between pages that belong together: tabs are their URLs by name, shown is the name of
// the current one.
export const Tabs = ({ label, tabs, shown }) => (
  <nav class="tabs" aria-label={label}>
    {Object.entries(tabs).map(([name, href]) => (
      <a key={name} href={href} aria-current={name === shown ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);

// ChainTabs are the pages of the chain.
export const ChainTabs = ({ shown }) => <Tabs label="Of the chain" shown={shown} tabs={{ lately: pageLink(), 'state of the index': pageLink('state') }} />;
