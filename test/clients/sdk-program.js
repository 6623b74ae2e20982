/** A program for every runtime: REST, events and webhooks with the client. @returns its results. */
export async function useClient({ createClient, verifyWebhook }, { baseUrl, key, webhook }) {
  const crossramp = createClient({ baseUrl, key });
  const { end2end } = await crossramp.rest.post('/v2/crossramp_checkout', {
    amount_payment: '150.00',
    currency_exit_received_code: 'USDT_TRX',
    client_name: 'Ana Souza',
    client_tax_id: '52998224725',
  });
  await crossramp.rest.post('/v2/sandbox/trigger', { scenario: 'pay', end2end });
  const names = ['crossramp_checkout.success.done'];
  for await (const { transaction } of crossramp.events({ after: '', names }))
    if (transaction.end2end === end2end) break;
  const { state } = await crossramp.rest.get('/v2/crossramp_checkout/{id}', { id: end2end });
  const { secrets, headers, body } = webhook;
  const verified = [];
  for (const secret of secrets)
    verified.push((await verifyWebhook({ secret, headers, body })).transaction.end2end);
  const forged = verifyWebhook({ secret: secrets, headers, body: `${body} ` });
  return { state, verified, forged: await forged.catch(({ name }) => name) };
}
