// The page at /: GraphiQL with the endpoint and example tabs from the server's HTML.
import './workers.js';

import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import '@graphiql/plugin-explorer/style.css';
import 'graphiql/graphiql.css';
import '../../internal/httpapi/layout/header.css';
import './page.css';

import { PenIcon, VisuallyHidden } from '@graphiql/react';
import { createLocalStorage } from '@graphiql/toolkit';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { lazy, Suspense, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { Editors } from './editors.jsx';
import { fetcherFor } from './fetcher.js';
import { KeyForm, storedKey, storeKey, withKey } from './key.jsx';
import { linkedTab, openTabs } from './tabs.js';
import { Tools } from './tools.jsx';

const dataOf = (page) => JSON.parse(page.getElementById('page-data').textContent);
const { endpoint, chain, maxCost, tabs: sent } = dataOf(document);

// A separate namespace keeps out the tabs of another project's GraphiQL on the same host
// and port. Each chain has its own tabs and history.
const common = createLocalStorage({ namespace: 'mintburn' });
const own = chain ? createLocalStorage({ namespace: `mintburn.${chain.name}` }) : common;
const of = (key) => (key === 'graphiql:theme' ? common : own);
const storage = Object.create(own, {
  getItem: { value: (key) => of(key).getItem(key) },
  setItem: { value: (key, value) => of(key).setItem(key, value) },
  removeItem: { value: (key) => of(key).removeItem(key) },
});

// A link's query opens in a new tab only once, so that a reload keeps the user's edits.
const linked = linkedTab(location.search);
if (linked) history.replaceState(null, '', location.pathname);

// The explorer loads when it is opened.
const Explorer = lazy(async () => ({ default: (await import('@graphiql/plugin-explorer')).explorerPlugin().content }));
const content = () => (
  <Suspense>
    <Explorer />
  </Suspense>
);
const plugins = [HISTORY_PLUGIN, { title: 'Query Explorer', icon: PenIcon, content }];

function Playground({ apiKey, tabs, active, onRefused }) {
  const actions = useRef(null);
  // The first example is run for the visitor, if the database has its values. A link's query is not.
  const [first] = tabs;
  const runs = !linked && !first.missing && first.query === active.query && first.variables === active.variables;
  const [fetcher] = useState(() => {
    const onCost = (cost) => actions.current.updateActiveTabValues({ cost });
    return fetcherFor(endpoint, { key: apiKey, byGet: runs, onCost, onRefused });
  });
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
        <VisuallyHidden asChild>
          <h1>Playground</h1>
        </VisuallyHidden>
        <Editors runs={runs ? active.query : null} actions={actions} />
        <Tools apiKey={apiKey} maxCost={maxCost} url={new URL(endpoint, location.href).href} />
      </GraphiQL.Footer>
    </GraphiQL>
  );
}

const root = createRoot(document.getElementById('view'));

// open shows the Playground, or asks for a key if the server sends no tabs without one.
async function open(key) {
  try {
    const tabs = sent ?? (key && (await keyedTabs(key)));
    if (!tabs) return ask(key);
    if (key) storeKey(key);
    const opened = openTabs(storage, tabs);
    root.render(<Playground apiKey={key} tabs={tabs} active={linked ?? opened} onRefused={() => ask(key)} />);
  } catch ({ message }) {
    root.render(<p role="alert" className="page-waiting">{message}</p>);
  }
}

function ask(refused) {
  root.render(
    <div className="page-key">
      <KeyForm refused={refused} onKey={open} />
    </div>,
  );
}

// keyedTabs returns the tabs with a key, or null if the server does not accept it.
async function keyedTabs(key) {
  const response = await fetch(location.pathname, { headers: withKey(key) });
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 200)}`);
  return dataOf(new DOMParser().parseFromString(text, 'text/html')).tabs;
}

open(storedKey());
