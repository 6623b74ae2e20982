/** Creates a checkout and reads it by the client of Hey API. */
import { client } from '../generated/hey-api/client.gen.ts';
import { createCrossrampCheckout, getCrossrampCheckout } from '../generated/hey-api/sdk.gen.ts';
import { baseUrl, key, order } from './order.ts';

client.setConfig({ baseUrl, auth: key, throwOnError: true });
const { data } = await createCrossrampCheckout({ body: { ...order, external_code: 'hey-api' } });
if (data === undefined) throw new Error('no checkout');
const read = await getCrossrampCheckout({ path: { id: data.end2end } });
process.stdout.write(`${data.end2end} ${read.data?.attributes.external_code}`);
