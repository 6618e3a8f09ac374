import { useEffect, useRef, useState } from 'preact/hooks';

import { ask, UNREACHABLE } from './api.js';
import { joined } from './joined.js';
import { answers } from './router.js';
import { clean } from './texts.js';

// useAnswer asks a question once a page, or nothing if it is null. It returns:
//   - data: the answer, or that of the question before while there is none, or undefined;
//   - busy: whether the answer is on its way;
//   - problem and again: why it failed, and a function that asks again;
//   - update: a function that changes the answer, by a function of it;
//   - more: a function that asks for a next page, and joins its items to the answer.
export function useAnswer(question, expected) {
  const known = answers();
  const key = JSON.stringify(question);
  const before = useRef();
  const [{ failed, problem }, set] = useState({});
  const load = async () => {
    set({});
    try {
      known.set(key, await ask(question, expected));
      set({});
    } catch (thrown) {
      set({ failed: key, problem: thrown });
    }
  };
  useEffect(() => {
    if (question && !known.has(key)) load();
  }, [key]);
  const update = (change) => {
    known.set(key, change(known.get(key)));
    set({});
  };
  const more = async (next) => {
    const page = await ask(next, expected);
    update((data) => joined(data, page));
  };
  if (known.has(key)) before.current = known.get(key);
  const failure = failed === key ? problem : undefined;
  return { data: before.current, busy: Boolean(question) && !known.has(key) && !failure, problem: failure, again: load, update, more };
}

// Section is a part of a page with a title. It asks the question and shows what children returns for the
// answer. Until then cards or tiles, a number, keep the place of what will come.
export const Section = ({ expected, ...rest }) => <Answered {...rest} answer={useAnswer(rest.question, expected)} />;

// Answered is a section for an answer of useAnswer.
export function Answered({ id, title, answer, cards, tiles, children }) {
  return (
    <Frame id={id} title={title} busy={answer.busy}>
      {answer.problem ? <ProblemBox problem={answer.problem} again={answer.again} /> : answer.data ? children(answer.data, answer) : <Waiting cards={cards} tiles={tiles} />}
    </Frame>
  );
}

// Waiting keeps the place of cards, of tiles, or of lines.
function Waiting({ cards, tiles }) {
  return (
    <div class={cards ? 'gallery' : tiles ? 'tiles' : undefined} aria-label="Loading…" role="img">
      {Array.from({ length: cards ?? tiles ?? 3 }, (_, i) => (
        <div key={i} class={`skeleton ${cards ? 'card' : tiles ? 'tile' : 'line'}`} />
      ))}
    </div>
  );
}

// Frame is a section whose content does not depend on one answer.
export function Frame({ id, title, busy, children }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div class="body" aria-busy={busy ? 'true' : undefined}>
        {children}
      </div>
    </section>
  );
}

// ProblemBox shows an error with a button that tries again. The page says once that there is no server.
export function ProblemBox({ problem, again }) {
  if (problem.code === UNREACHABLE) return <p class="soft">Not loaded.</p>;
  return (
    <div class="problem" role="alert">
      <p>
        <bdi>{clean(problem.message, 400)}</bdi>
        {problem.code && <code>{problem.code}</code>}
      </p>
      <button type="button" onClick={again}>
        Try again
      </button>
    </div>
  );
}

// More is below a list: a button that loads the next page, if load is given, and how much is shown.
export function More({ load, label = 'Show more', children }) {
  const [{ busy, problem }, set] = useState({});
  const press = async () => {
    set({ busy: true });
    try {
      await load();
      set({});
    } catch (thrown) {
      set({ problem: thrown });
    }
  };
  return (
    <div class="more">
      {problem && <ProblemBox problem={problem} again={press} />}
      {load && (!problem || problem.code === UNREACHABLE) && (
        <button type="button" disabled={busy} onClick={press}>
          {label}
        </button>
      )}
      <span class="soft" role="status">
        {busy && 'Loading…'}
      </span>
      {!busy && <span class="soft">{children}</span>}
    </div>
  );
}
