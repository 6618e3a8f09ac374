// The tools below the response: the cost, the operation as a program or as a link, and the lists of the
// answer as tables.
import { Button, Dialog, ToolbarMenu, tryParseJSONC, useGraphiQL } from '@graphiql/react';
import { parse, print, separateOperations } from 'graphql';
import { useState } from 'react';

import { chosen } from './fetcher.js';
import { withKey } from './key.jsx';
import { PROGRAMS } from './programs.js';
import { csvFile, download, tablesOf } from './tables.js';

// MAX_LINK is the maximum length of a link, which servers and proxies accept.
const MAX_LINK = 8_000;

// Tools shows the tools for the open tab. url is that of the endpoint, and apiKey the visitor's, or null.
export function Tools({ apiKey, maxCost, url }) {
  const state = useGraphiQL((all) => all);
  const { response, cost } = state.tabs[state.activeTabIndex];
  const [shown, setShown] = useState(null);

  // show opens the dialog with what read returns, or its error.
  const show = (title, read) => () => {
    try {
      setShown({ title, ...read() });
    } catch ({ message }) {
      setShown({ title, error: message });
    }
  };
  const copied = (text) => {
    // Browsers have no clipboard on pages that came by plain HTTP from another host.
    navigator.clipboard?.writeText(text).then(() => setShown((now) => now && { ...now, copied: true }), () => {});
    return { text };
  };
  const share = () => {
    const parameters = new URLSearchParams({ query: state.queryEditor.getValue(), variables: state.variableEditor.getValue() });
    const link = new URL(`./?${parameters}`, location.href).href;
    if (link.length > MAX_LINK) throw new Error(`The link has ${link.length} characters: want at most ${MAX_LINK}. Shorten the query.`);
    return copied(link);
  };
  return (
    <div className="page-tools">
      <ToolbarMenu button={<Button>Copy as</Button>}>
        {Object.entries(PROGRAMS).map(([form, write]) => (
          <ToolbarMenu.Item key={form} onSelect={show(`As ${form}`, () => copied(write(operationOf(state, url, apiKey))))}>
            {form}
          </ToolbarMenu.Item>
        ))}
      </ToolbarMenu>
      <Button onClick={show('Share', share)}>Share</Button>
      <Button onClick={show('Table', () => ({ tables: answerOf(state) }))}>Table</Button>
      <output>{response && cost && `Cost ${Number(cost).toLocaleString('en')} of at most ${maxCost.toLocaleString('en')}`}</output>
      <Dialog open={Boolean(shown)} onOpenChange={(open) => open || setShown(null)}>
        {shown && <Shown {...shown} />}
      </Dialog>
    </div>
  );
}

function Shown({ title, text, copied, tables, error }) {
  return (
    <div className="page-shown">
      <div className="graphiql-dialog-header">
        <Dialog.Title className="graphiql-dialog-title">{title}</Dialog.Title>
        <Dialog.Close />
      </div>
      {error && <p role="alert">{error}</p>}
      {text && <pre tabIndex={0}>{text}</pre>}
      {text && <output>{copied ? 'Copied.' : 'Select the text to copy it.'}</output>}
      {tables?.map((table) => (
        <Table key={table.name} {...table} />
      ))}
    </div>
  );
}

function Table({ name, columns, rows }) {
  return (
    <section>
      <Button onClick={() => download(`${name}.csv`, csvFile({ columns, rows }))}>Download {name}.csv</Button>
      <div className="page-rows" role="region" aria-label={name} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <tr key={i}>
                {row.map((value, j) => (
                  <td key={j}>
                    <bdi>{value}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// operationOf returns the operation that would run, for PROGRAMS. Of a document with several it takes
// one alone, with its fragments.
function operationOf({ queryEditor, variableEditor, headerEditor, operationName }, url, apiKey) {
  const parsed = (name, editor) => {
    try {
      return tryParseJSONC(editor?.getValue()) ?? {};
    } catch ({ message }) {
      throw new Error(`${name} ${message}`);
    }
  };
  const query = queryEditor.getValue();
  const { name, operation } = chosen(query, operationName);
  const alone = Object.entries(separateOperations(parse(query)));
  return {
    url,
    query: alone.length > 1 ? print((alone.find(([key]) => key === name) ?? alone[0])[1]) : query,
    variables: parsed('Variables', variableEditor),
    headers: withKey(apiKey, parsed('Headers', headerEditor)),
    subscribes: operation === 'subscription',
  };
}

// answerOf returns the tables of the response that is shown.
function answerOf({ responseEditor }) {
  const text = responseEditor.getValue();
  const tables = text ? tablesOf(JSON.parse(text).data) : [];
  if (tables.length === 0) throw new Error('The response has no list of objects: run a query that selects data or edges first.');
  return tables;
}
