/** The list, the newest transaction first. */
export function Rows({ rows }) {
  return (
    <ul>
      {rows.map((row) => (
        <li key={row.id} id={row.end2end}>
          {[row.end2end, row.clientName, amountOf(row), row.headline.en].join(' · ')}
        </li>
      ))}
    </ul>
  );
}

/** @returns the amount with its currency; each kind of transaction has it in a field of its own. */
function amountOf({ amountPayment, amountSent, amountReceived, currencyReceiveCode }) {
  return amountReceived
    ? `${amountReceived} ${currencyReceiveCode}`
    : `R$ ${amountPayment ?? amountSent ?? '–'}`;
}
