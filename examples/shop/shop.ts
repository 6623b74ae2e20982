/** A shop: an order becomes a checkout, and is paid when the webhook says so. Orders are in memory; yours are in a database. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createClient, verifyWebhook, WebhookRefused } from '@crossramp/sdk';

const port = Number(process.env.PORT ?? 3000);
const shopUrl = `http://localhost:${port}`;
const { rest } = createClient({
  baseUrl: process.env.CROSSRAMP_URL ?? 'http://localhost:4000',
  key: process.env.CROSSRAMP_KEY ?? '',
});
const orders = new Map<string, 'waiting' | 'paid'>();
const processed = new Set<string>();

/** @returns the secret of this shop's endpoint, which is made unless it is there. */
async function endpointSecret(): Promise<string> {
  const url = `${shopUrl}/hook`;
  const { results } = await rest.get('/v2/webhook_endpoints', {});
  const endpoint =
    results.find((each) => each.url === url && each.state === 'enabled') ??
    (await rest.post('/v2/webhook_endpoint', { url, event_names: ['crossramp_checkout.*'] }));
  const secrets = await rest.get('/v2/webhook_endpoint/{id}/secrets', { id: endpoint.id });
  return secrets.results[0]?.secret ?? '';
}

/** Makes the order before the checkout, with the order's number as idempotency key: a repeated request makes no second checkout. */
async function buy(response: ServerResponse): Promise<void> {
  const order = randomUUID();
  orders.set(order, 'waiting');
  const { payment_link: page } = await rest.post(
    '/v2/crossramp_checkout',
    {
      amount_payment: '150.00',
      currency_exit_received_code: 'USDT_TRX',
      external_code: order,
      return_url: `${shopUrl}/`,
    },
    { idempotencyKey: order },
  );
  response.writeHead(303, { location: page }).end();
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const headers = request.headers as Record<string, string>;
    const event = await verifyWebhook({ secret, headers, body: Buffer.concat(chunks) });
    if (!processed.has(event.id) && event.name === 'crossramp_checkout.success.done')
      orders.set(event.transaction.attributes.external_code, 'paid');
    processed.add(event.id);
    response.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookRefused)) throw error;
    response.writeHead(400).end();
  }
}

function show(response: ServerResponse): void {
  const rows = [...orders].map(([order, state]) => `<li>${order}: ${state}`).join('');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(
    `<!doctype html><title>Shop</title><form method=post action=/buy><button>Buy for R$ 150</button></form><ul>${rows}</ul>`,
  );
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url?.split('?')[0]}`;
  if (route === 'POST /buy') await buy(response);
  else if (route === 'POST /hook') await receive(request, response);
  else if (route === 'GET /') show(response);
  else response.writeHead(404).end();
}

const secret = await endpointSecret();
createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.writeHead(500).end();
  });
}).listen(port, 'localhost', () => console.log(`The shop is open: ${shopUrl}`));
