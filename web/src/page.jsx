// The page at /: GraphiQL with the endpoint and example tabs from the server's HTML.
import './workers.js';

import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import '../../internal/httpapi/layout/header.css';
import './page.css';

import { PenIcon } from '@graphiql/react';
import { createLocalStorage } from '@graphiql/toolkit';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { lazy, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { fetcherFor } from './fetcher.js';
import { linkedTab, openTabs } from './tabs.js';
import { Tools } from './tools.jsx';

const { endpoint, maxCost, tabs } = JSON.parse(document.getElementById('page-data').textContent);

// A separate namespace keeps out the tabs of another project's GraphiQL on the same host
// and port.
const storage = createLocalStorage({ namespace: 'mintburn' });
const opened = openTabs(storage, tabs);

// A link's query opens in a new tab only once, so that a reload keeps the user's edits.
const linked = linkedTab(location.search);
if (linked) history.replaceState(null, '', location.pathname);
const active = linked ?? opened;

// The explorer loads when it is opened.
const Explorer = lazy(async () => ({ default: (await import('@graphiql/plugin-explorer')).explorerPlugin().content }));
const content = () => (
  <Suspense>
    <Explorer />
  </Suspense>
);
const plugins = [HISTORY_PLUGIN, { title: 'Query Explorer', icon: PenIcon, content }];

function Playground() {
  const [cost, setCost] = useState(null);
  const [fetcher] = useState(() => fetcherFor(endpoint, setCost));
  return (
    <GraphiQL
      fetcher={fetcher}
      storage={storage}
      plugins={plugins}
      defaultTabs={linked ? [linked, ...tabs] : tabs}
      initialQuery={active.query}
      initialVariables={active.variables}
      defaultEditorToolsVisibility="variables"
      schemaDescription
    >
      <GraphiQL.Logo>{''}</GraphiQL.Logo>
      <GraphiQL.Footer>
        <Tools cost={cost} maxCost={maxCost} url={new URL(endpoint, location.href).href} />
      </GraphiQL.Footer>
    </GraphiQL>
  );
}

createRoot(document.getElementById('view')).render(<Playground />);
