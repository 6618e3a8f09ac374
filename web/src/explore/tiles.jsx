// Tiles shows figures: rows of a label, a value and an optional note.
export const Tiles = ({ rows }) => (
  <dl class="tiles">
    {rows.map(([label, value, note]) => (
      <div class="tile" key={label}>
        <dt>{label}</dt>
        <dd>{value}</dd>
        {note && <dd class="soft">{note}</dd>}
      </div>
    ))}
  </dl>
);
