import { h } from './dom.js';
import { problemBox } from './section.js';
import { count, countOf, iso, moment, short } from './texts.js';

const newestFirst = (a, b) => b.blockNumber - a.blockNumber || b.logIndex - a.logIndex || b.subIndex - a.subIndex;

// merged returns the loaded mints and burns as one list, newest first. It ends at the last
// loaded record of a list that has more pages, because older records of the other list
// would be out of order.
export function merged(mints, burns) {
  const all = [
    ...mints.data.map((record) => ({ ...record, kind: 'mint' })),
    ...burns.data.map((record) => ({ ...record, kind: 'burn' })),
  ].sort(newestFirst);
  const ends = [mints, burns].filter(({ cursor }) => cursor).map(({ data }) => data.at(-1));
  return all.filter((record) => ends.every((end) => newestFirst(record, end) <= 0));
}

// historyView shows a token's mints and burns, newest first, with a button that adds older
// ones. questionAfter returns the query for the pages after two cursors.
export function historyView({ answer, ask, questionAfter }) {
  let { mints, burns } = answer;
  const list = h('ol', { class: 'history' });
  const more = h('div', { class: 'more' });
  const show = () => {
    const records = merged(mints, burns);
    const added = records.slice(list.children.length).map(entry);
    list.append(...added);
    const next = (mints.cursor || burns.cursor) && h('button', { type: 'button', onclick: addNext }, 'Show older');
    const left = `${countOf(mints.totalItems, 'mint')}, ${countOf(burns.totalItems, 'burn')}`;
    more.replaceChildren(...[next, h('span', { class: 'soft', role: 'status' }, left)].filter(Boolean));
    return added[0];
  };
  const addNext = async () => {
    more.replaceChildren(h('p', { class: 'soft', role: 'status' }, 'Loading…'));
    try {
      const next = await ask(questionAfter(mints.cursor, burns.cursor));
      const joined = (before, after) => (after ? { ...after, data: [...before.data, ...after.data] } : before);
      mints = joined(mints, next.mints);
      burns = joined(burns, next.burns);
      show()?.focus();
    } catch (problem) {
      more.replaceChildren(problemBox(problem, addNext));
    }
  };
  show();
  if (list.children.length === 0) return [h('p', { class: 'soft' }, 'No mint or burn of this token is indexed.')];
  return [list, more];
}

function entry(record) {
  const [verb, whom, other] = record.kind === 'mint' ? ['Minted', 'to', record.to] : ['Burned', 'by', record.from];
  return h(
    'li',
    { class: record.kind, tabindex: '-1' },
    h('p', null, h('strong', null, verb), record.amount !== '1' && ` × ${count(record.amount)}`, ` ${whom} `, h('span', { class: 'mono' }, other)),
    h(
      'p',
      { class: 'soft' },
      h('time', { datetime: iso(record.blockTime) }, moment(record.blockTime)),
      `, block ${count(record.blockNumber)}, transaction `,
      h('span', { class: 'mono', title: record.transactionHash }, short(record.transactionHash)),
    ),
  );
}
