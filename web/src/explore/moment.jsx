import { useEffect, useReducer } from 'preact/hooks';

import { ago, iso, moment } from './texts.js';

// Moment is a Unix time as people say it, which counts; the title has the date and the time in UTC.
export function Moment({ at }) {
  const [, tick] = useReducer((n) => n + 1, 0);
  const age = Date.now() / 1000 - at;
  const unit = age < 60 ? 1 : age < 3_600 ? 60 : 3_600;
  useEffect(() => {
    if (age < -60 || age >= 86_400) return undefined;
    const timer = setTimeout(tick, 1000 * (unit - (Math.max(0, age) % unit)));
    return () => clearTimeout(timer);
  });
  return (
    <time dateTime={iso(at)} title={moment(at)}>
      {ago(at)}
    </time>
  );
}
