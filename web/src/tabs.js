// The example tabs across visits. The first visit shows them. Later visits restore the
// user's tabs, but update example tabs that were not edited: their variables come from the
// database that was served before, and may not exist in the current one. A closed tab
// stays closed. GraphiQL's "Clear data" restarts with the first visit.

// TAB_STATE is the storage key of GraphiQL's tabs.
const TAB_STATE = 'graphiql:tabState';

// READY_TABS is the storage key of the example tabs from the previous visit.
const READY_TABS = 'graphiql:readyTabs';

// openTabs updates the stored tabs and returns the tab to open, with its query and
// variables. GraphiQL alone would open its first default tab without variables.
export function openTabs(storage, ready) {
  const stored = parse(storage.getItem(TAB_STATE));
  const before = parse(storage.getItem(READY_TABS)) ?? [];
  storage.setItem(READY_TABS, JSON.stringify(ready));

  if (!Array.isArray(stored?.tabs) || stored.tabs.length === 0) return ready[0];
  const state = { ...stored, tabs: stored.tabs.map((tab) => upToDate(tab, before, ready)) };
  storage.setItem(TAB_STATE, JSON.stringify(state));
  const { query, variables } = state.tabs[state.activeTabIndex] ?? state.tabs[0];
  return { query: query ?? '', variables: variables ?? '' };
}

// linkedTab returns the tab for a URL with ?query=… and optionally &variables=…, or null.
// GraphiQL shows it without running it.
export function linkedTab(search) {
  const parameters = new URLSearchParams(search);
  const query = parameters.get('query');
  return query ? { query, variables: parameters.get('variables') ?? '' } : null;
}

// upToDate returns the current example tab if tab is an unedited example tab of the same
// title from the previous visit, else tab.
function upToDate(tab, before, ready) {
  const given = before.find(({ query, variables }) => query === tab.query && variables === tab.variables);
  const now = given && ready.find(({ title }) => title === given.title);
  return now ? { ...tab, query: now.query, variables: now.variables } : tab;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
