import { useEffect, useRef } from 'preact/hooks';

// Old shows elements that a function makes.
export function Old({ make }) {
  const place = useRef();
  useEffect(() => {
    Promise.resolve(make()).then((elements) => place.current?.replaceChildren(...[elements].flat()));
  }, []);
  return <div ref={place} />;
}
