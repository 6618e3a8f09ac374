// Table is a table of rows of cells. A column whose name begins with # has numbers.
export const Table = ({ class: kind, caption, names, rows }) => {
  const columns = names.map((name) => ({ name: name.replace('#', ''), kind: name.startsWith('#') ? 'number' : undefined }));
  return (
    <table class={kind}>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {columns.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, j) => (
              <td key={j} data-name={columns[j].name} class={columns[j].kind}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};
