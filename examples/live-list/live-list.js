/** A live list of transactions: one query, then the event log from where it stood before the query. */
import { createServer } from 'node:http';
import { createClient } from 'graphql-sse';

const url = `${process.env.CROSSRAMP_URL ?? 'http://localhost:4000'}/graphql`;
const headers = { authorization: `Bearer ${process.env.CROSSRAMP_KEY}` };
const port = Number(process.env.PORT ?? 3001);

/** The same parts of every transaction, and those that each kind has under a name of its own. */
const ROW = `
  fragment Row on Transaction {
    end2end
    headline { en }
    clientName
    ...CheckoutRow
    ...OnrampRow
    ...OnrampInstantRow
    ...OfframpRow
    ...OfframpInstantRow
    ...WithdrawalRow
  }
  fragment CheckoutRow on CrossrampCheckout { amountPayment }
  fragment OnrampRow on Onramp { amountPayment }
  fragment OnrampInstantRow on OnrampInstant { amountPayment }
  fragment OfframpRow on Offramp { amountSent }
  fragment OfframpInstantRow on OfframpInstant { amountReceived }
  fragment WithdrawalRow on Withdrawal { amountReceived currencyReceiveCode }`;
const LIST = `{ transactions(first: 20) { nodes { ...Row } } } ${ROW}`;
const CHANGES = `subscription ($after: String) { events(after: $after) { __typename cursor ... on TransactionEvent { transaction { ...Row } } } } ${ROW}`;

const text = (value) => String(value ?? '').replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
/** Withdrawals alone are shown in crypto. */
const amountOf = ({ amountPayment, amountSent, amountReceived, currencyReceiveCode }) =>
  currencyReceiveCode
    ? `${amountReceived} ${currencyReceiveCode}`
    : `R$ ${amountPayment ?? amountSent ?? amountReceived ?? '–'}`;
const rowOf = (row) =>
  `<li id="${row.end2end}">${[row.end2end, text(row.clientName), amountOf(row), text(row.headline.en)].join(' · ')}</li>`;

/** Rows by transaction, the newest last; and the open pages. */
const rows = new Map();
const pages = new Set();

/** Follows the log for good: graphql-sse repeats a broken connection, `after` goes on where the last frame stood. */
async function follow() {
  let after;
  let isRead = false;
  const client = createClient({
    url,
    headers,
    retryAttempts: Number.POSITIVE_INFINITY,
    // Pauses of graphql-sse itself double without end.
    retry: () => new Promise((resolve) => setTimeout(resolve, 1_000 + Math.random() * 2_000)),
  });
  for await (const { data, errors } of client.iterate({
    query: CHANGES,
    get variables() {
      return { after };
    },
  })) {
    if (errors) throw new Error(errors[0].message);
    const { __typename, cursor, transaction } = data.events;
    if (__typename === 'CursorExpired') throw new Error('events are missing: start again');
    after = cursor;
    // The first frame says where the log stands: what the list misses comes after it.
    if (!isRead) await read();
    isRead = true;
    if (transaction) change(transaction);
  }
}

async function read() {
  const body = JSON.stringify({ query: LIST });
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  const { data, errors } = await answer.json();
  if (errors) throw new Error(errors[0].message);
  for (const row of data.transactions.nodes.toReversed()) rows.set(row.end2end, rowOf(row));
}

function change(transaction) {
  const row = rowOf(transaction);
  rows.set(transaction.end2end, row);
  for (const page of pages) page.write(`data: ${JSON.stringify(row)}\n\n`);
}

const SCRIPT = `
  new EventSource('/changes').onmessage = ({ data }) => {
    const made = document.createElement('ul');
    made.innerHTML = JSON.parse(data);
    const row = made.firstChild;
    const old = document.getElementById(row.id);
    old ? old.replaceWith(row) : document.querySelector('ul').prepend(row);
  };`;

createServer((request, response) => {
  if (request.url === '/changes') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
    pages.add(response);
    response.on('close', () => pages.delete(response));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  const list = [...rows.values()].toReversed().join('');
  response.end(`<!doctype html><title>Live</title><ul>${list}</ul><script>${SCRIPT}</script>`);
}).listen(port, 'localhost', () => console.log(`The list is at http://localhost:${port}`));
follow();
