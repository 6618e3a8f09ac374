import { useEffect } from 'preact/hooks';

// Heading is the heading of a page, which is also the title of the document.
export function Heading({ title, children }) {
  useEffect(() => {
    document.title = `${title} · Mintburn`;
  }, [title]);
  return (
    <div class="heading">
      <h1>
        <bdi>{title}</bdi>
      </h1>
      {children}
    </div>
  );
}
