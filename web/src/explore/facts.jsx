// Facts are rows of a label and a value; those without a value are left out.
export const Facts = ({ rows }) => (
  <dl class="facts">
    {rows
      .filter((row) => row?.[1])
      .map(([label, value]) => (
        <>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </>
      ))}
  </dl>
);
