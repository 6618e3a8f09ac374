import { h } from './dom.js';

// tiles shows figures: a label, a value and perhaps a note each.
export function tiles(rows) {
  return h(
    'dl',
    { class: 'tiles' },
    rows.map(([label, value, note]) => h('div', { class: 'tile' }, h('dt', null, label), h('dd', null, value), note && h('dd', { class: 'soft' }, note))),
  );
}
