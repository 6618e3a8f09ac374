import { useEffect } from 'preact/hooks';

import { Copy } from './amount.jsx';
import { queryLink } from './links.js';

// Heading is the heading of a page, which is also the title of the document. picture, if given, is beside
// it, and state behind the title. With link, the address of the page can be copied; question is the query of
// the page, which the Playground opens.
export function Heading({ title, picture, state, link, question, children }) {
  useEffect(() => {
    document.title = `${title} · Mintburn`;
  }, [title]);
  const address = () => {
    const url = new URL(location.href);
    // Each viewer allows images of other hosts.
    url.searchParams.delete('images');
    return url.href;
  };
  return (
    <div class={picture ? 'heading pictured' : 'heading'}>
      {picture}
      <div>
        <h1>
          <bdi>{title}</bdi> {state}
        </h1>
        {children}
        <p class="actions">
          {link && <Copy text={address} what="link" label="Copy link" />}
          {question && (
            <a class="query" href={queryLink(question)}>
              Open query
            </a>
          )}
        </p>
      </div>
    </div>
  );
}
