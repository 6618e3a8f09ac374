import { h } from './dom.js';
import { queryLink } from './links.js';
import { clean } from './texts.js';

// section returns a section of a page: a title, a link that opens its query in GraphiQL,
// and the elements that show creates from the data. On failure it shows the error with a
// button to retry. show may change the linked query with its second argument.
export function section({ id, title, question, ask, show }) {
  const body = h('div', { class: 'body', 'aria-busy': 'true' }, h('p', { class: 'soft' }, 'Loading…'));
  const link = h('a', { class: 'query', 'aria-label': `Open the query of ${title} in GraphiQL` }, 'Open query');
  const linkTo = (shown) => link.setAttribute('href', queryLink(shown));
  linkTo(question);
  const element = h('section', { id, 'aria-labelledby': `${id}-title` }, h('div', { class: 'head' }, h('h2', { id: `${id}-title` }, title), link), body);
  const load = async () => {
    body.setAttribute('aria-busy', 'true');
    try {
      body.replaceChildren(...[await show(await ask(question), linkTo)].flat());
    } catch (problem) {
      body.replaceChildren(problemBox(problem, load));
    }
    body.removeAttribute('aria-busy');
    if (location.hash === `#${id}`) element.scrollIntoView();
  };
  load();
  return element;
}

// problemBox shows an error with a button that calls again.
export function problemBox(problem, again) {
  return h(
    'div',
    { class: 'problem', role: 'alert' },
    h('p', null, h('bdi', null, clean(problem.message, 400)), problem.code && h('code', null, problem.code)),
    h('button', { type: 'button', onclick: again }, 'Try again'),
  );
}
