/** A bar chart as a table, which screen readers can read. */
export interface BarRow {
  name: string;
  value: number;
}

export function Bars(props: {
  caption: string;
  nameHead: string;
  valueHead: string;
  rows: readonly BarRow[];
  format: (value: number) => string;
}) {
  const { caption, nameHead, valueHead, rows, format } = props;
  const max = Math.max(...rows.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <table className="bars">
      <caption className="visually-hidden">{caption}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{nameHead}</th>
          <th scope="col">{valueHead}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, value }, place) => (
          // One file can produce several pages.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={place}>
            <th scope="row" title={name}>
              <span>{name}</span>
            </th>
            <td>
              <svg className="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
                <rect className="bar-track" width="100" height="6" rx="1" />
                <rect className="bar-fill" width={Math.max(0.5, (value / max) * 100)} height="6" rx="1" />
              </svg>
              <span>{format(value)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
