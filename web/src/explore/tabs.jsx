import { pageLink } from './links.js';

// Tabs are the links between the pages of the chain.
export const Tabs = ({ shown }) => (
  <nav class="tabs" aria-label="Of the chain">
    {[
      ['', 'lately'],
      ['state', 'state of the index'],
    ].map(([path, name]) => (
      <a key={path} href={pageLink(path)} aria-current={path === shown ? 'page' : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
