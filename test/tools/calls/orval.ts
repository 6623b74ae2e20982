/** Creates a checkout and reads it by the client of orval. */
import { createCrossrampCheckout, getCrossrampCheckout } from '../generated/orval/client.ts';
import { authorization, order } from './order.ts';

const options = { headers: { authorization } };
const made = await createCrossrampCheckout({ ...order, external_code: 'orval' }, options);
if (made.status !== 201) throw new Error(made.data.code);
const read = await getCrossrampCheckout(made.data.end2end, options);
if (read.status !== 200) throw new Error(String(read.status));
process.stdout.write(`${made.data.end2end} ${read.data.attributes.external_code}`);
