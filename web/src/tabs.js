// What happens to the ready tabs between visits. The first visit shows them.
// Later visits show what the user left, except that a ready tab which was not
// edited is brought up to date: its values are those of the database that was
// served then, and may not exist in the one that is served now. A closed tab
// stays closed. GraphiQL's "Clear data" leads back to the first visit.

// TAB_STATE is where GraphiQL keeps its tabs.
const TAB_STATE = 'graphiql:tabState';

// READY_TABS is where this page keeps the ready tabs as they were last given.
const READY_TABS = 'graphiql:readyTabs';

// openTabs brings the stored tabs up to date and returns the tab to
// open, with its query and variables. GraphiQL alone would open the first of
// its default tabs without variables.
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

// linkedTab returns the tab of an address with ?query=…, and perhaps &variables=…, or
// null. GraphiQL shows it and runs nothing.
export function linkedTab(search) {
  const parameters = new URLSearchParams(search);
  const query = parameters.get('query');
  return query ? { query, variables: parameters.get('variables') ?? '' } : null;
}

// upToDate returns the ready tab in place of tab if tab is exactly what was
// once given under the same title, else tab.
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
