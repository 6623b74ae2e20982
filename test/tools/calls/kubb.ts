/** Creates a checkout and reads it by the client of Kubb. */
import { createCrossrampCheckout, getCrossrampCheckout } from '../generated/kubb/index.ts';
import { authorization, baseUrl, order } from './order.ts';

const config = { baseURL: baseUrl, headers: { authorization, 'content-type': 'application/json' } };
const made = await createCrossrampCheckout({ ...order, external_code: 'kubb' }, undefined, config);
const read = await getCrossrampCheckout(made.end2end, undefined, config);
process.stdout.write(`${made.end2end} ${read.attributes.external_code}`);
