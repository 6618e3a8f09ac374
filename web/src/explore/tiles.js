import { h } from './dom.js';

// tiles shows figures, each with a label, a value and an optional note.
export function tiles(rows) {
  return h(
    'dl',
    { class: 'tiles' },
    rows.map(([label, value, note]) => h('div', { class: 'tile' }, h('dt', null, label), h('dd', null, value), note && h('dd', { class: 'soft' }, note))),
  );
}
