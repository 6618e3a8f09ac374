// The router of Explore. Each entry of the browser's history has the answers that its page got, so
// that Back shows the page as it was: with the cards that were loaded, scrolled as before.
import { useEffect, useLayoutEffect, useReducer } from 'preact/hooks';

import { root } from './page.js';

// MOST is the number of entries whose answers are kept.
const MOST = 50;

const entries = new Map();
const redraws = new Set();
let made = 0;
let current;

history.scrollRestoration = 'manual';

// newId returns an id that no earlier document of this tab has put into the history.
const newId = () => `${performance.timeOrigin}/${made++}`;

// enter makes the entry of an id the current one. Entries of one path, such as the tabs of a
// collection, share their page and its answers.
function enter(id = newId()) {
  const { pathname } = location;
  const shared = current?.pathname === pathname ? { page: current.page, answers: current.answers, scroll: scrollY } : { page: id, answers: new Map(), scroll: 0 };
  current = entries.get(id) ?? { id, pathname, ...shared };
  entries.set(id, current);
  if (entries.size > MOST) entries.delete(entries.keys().next().value);
  history.replaceState({ id }, '');
}

// redraw draws the page again.
export function redraw() {
  for (const draw of redraws) draw();
}

// navigate opens a page of Explore.
export function navigate(href) {
  current.scroll = scrollY;
  history.pushState(null, '', href);
  enter();
  redraw();
}

// usePage returns a name of the current page, which is another one after a navigation to another
// path. It takes over clicks on links to Explore; only the outermost component calls it.
export function usePage() {
  const [, draw] = useReducer((n) => n + 1, 0);
  if (!current) enter(history.state?.id);
  const { page, id, scroll } = current;
  useEffect(() => {
    const click = (event) => {
      const link = event.target.closest?.('a[href]');
      if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target) return;
      const { href, hash } = link;
      if (hash || pathOf(href) === null) return;
      event.preventDefault();
      navigate(href);
    };
    const pop = ({ state }) => {
      current.scroll = scrollY;
      enter(state?.id);
      redraw();
    };
    redraws.add(draw);
    document.addEventListener('click', click);
    addEventListener('popstate', pop);
    return () => {
      redraws.delete(draw);
      document.removeEventListener('click', click);
      removeEventListener('popstate', pop);
    };
  }, []);
  useLayoutEffect(() => scrollTo(0, scroll), [id]);
  return page;
}

// useQuery returns the parameters of the URL's query, and a function that changes some of them in
// the present entry of the history. undefined removes a parameter.
export function useQuery() {
  const url = new URL(location.href);
  const set = (changes) => {
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    history.replaceState(history.state, '', url);
    redraw();
  };
  return [Object.fromEntries(url.searchParams), set];
}

// pathOf returns the path of a page of Explore below the root, without a final slash, or null for
// other URLs.
export function pathOf(href) {
  const { origin, pathname } = new URL(href);
  const path = (origin + pathname).startsWith(root) ? (origin + pathname).slice(root.length).replace(/\/$/, '') : '';
  return /^explore(\/|$)/.test(path) ? path : null;
}

// answers returns the answers of the current page, by question.
export const answers = () => current.answers;
