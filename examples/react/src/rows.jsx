/** @returns the changed rows by id, with the row of one more event. */
export function withChange(changes = new Map(), { events: { transaction } }) {
  return transaction ? new Map(changes).set(transaction.id, transaction) : changes;
}

/** The list as it was read with the changes since, the newest transaction first: new ones stand in front. */
export function Rows({ listed = [], changes }) {
  const isListed = new Set(listed.map(({ id }) => id));
  const added = [...(changes?.values() ?? [])].filter(({ id }) => !isListed.has(id)).toReversed();
  return (
    <ul>
      {[...added, ...listed.map((row) => changes?.get(row.id) ?? row)].map((row) => (
        <li key={row.id} id={row.end2end}>
          {[row.end2end, row.clientName, amountOf(row), row.headline.en].join(' · ')}
        </li>
      ))}
    </ul>
  );
}

/** @returns the amount with its currency; each kind of transaction has it in a field of its own, withdrawals alone in crypto. */
function amountOf({ amountPayment, amountSent, amountReceived, currencyReceiveCode }) {
  return currencyReceiveCode
    ? `${amountReceived} ${currencyReceiveCode}`
    : `R$ ${amountPayment ?? amountSent ?? amountReceived ?? '–'}`;
}
