// Explore: what happened on the chain, and the pages of its collections, tokens, transactions, blocks
// and accounts. The path of the URL says which.
import '../../../internal/httpapi/layout/header.css';
import './explore.css';
import './charts.css';
import './things.css';

import { render } from 'preact';
import { useEffect, useReducer, useRef } from 'preact/hooks';

import { KeyForm } from '../key.jsx';
import { ask, enterKey, isReached, keyNeeded } from './api.js';
import { pageLink } from './links.js';
import { Overview } from './overview.jsx';
import { AccountPage } from './account.jsx';
import { BlockPage } from './block.jsx';
import { CollectionPage } from './collection.jsx';
import { Heading } from './heading.jsx';
import { StatePage } from './state.jsx';
import { TokenPage } from './token.jsx';
import { TransactionPage } from './transaction.jsx';
import { findTags } from './queries.js';
import { pathOf, usePage } from './router.js';
import { data, root } from './page.js';
import { routeOf } from './routes.js';
import { Search } from './search.jsx';
import { stored } from './storage.js';

const PAGES = { overview: Overview, state: StatePage, collection: CollectionPage, token: TokenPage, transaction: TransactionPage, block: BlockPage, account: AccountPage };

function Explore() {
  const page = usePage();
  const { name, ...parameters } = routeOf(pathOf(location.href));
  const Page = PAGES[name] ?? NotFound;
  const needed = keyNeeded();
  const first = useRef(page);
  // The focused link is gone with its page.
  useEffect(() => {
    if (page !== first.current && document.activeElement === document.body) view.focus({ preventScroll: true });
  }, [page]);
  // The links to other chains keep what may be there too: not a block.
  useEffect(() => {
    const path = pathOf(location.href);
    const kept = /^explore\/(0x|tx\/|account\/)/i.test(path) ? path : 'explore';
    for (const link of document.querySelectorAll('.page-chains a')) link.href = `${root}${data.chain.up}${link.dataset.chain}/${kept}`;
  }, [page]);
  const [tries, again] = useReducer((n) => n + 1, 0);
  // What has no answer is asked for again; what is shown stays.
  const retry = () => ask(findTags()).then(again, () => {});
  return (
    <div class="explore">
      <Search />
      {!isReached() && (
        <div class="problem" role="alert">
          <p>The server does not answer.</p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
      {needed ? <KeyForm {...needed} onKey={enterKey} /> : <Page key={`${page} ${tries}`} {...parameters} />}
    </div>
  );
}

function NotFound() {
  return (
    <Heading title="There is no such page">
      <p>
        Explore has no page at this address. <a href={pageLink()}>See what happened lately</a>, or search for an address, a hash, a block, a token or a name.
      </p>
    </Heading>
  );
}

// GraphiQL's theme setting applies here too.
const theme = stored('localStorage', 'mintburn:graphiql:theme');
if (theme === 'light' || theme === 'dark') document.body.classList.add(`graphiql-${theme}`);

// The links of the header are relative to the address at which the document was loaded.
for (const link of document.querySelectorAll('.page-header a')) link.setAttribute('href', link.href);

// view is the element of the page below its header.
const view = document.getElementById('view');
view.replaceChildren();
render(<Explore />, view);
