/**
 * Callers who are known by the secret path alone: whoever has seen the path can call. What they tell is taken for a hint, and counts as
 * the provider itself tells it when it is asked.
 */
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type Hearing, NO_DISPUTES, type Verdict, verdictOn } from './callback.ts';
import type { ApiPix } from './client.ts';
import { PspAway } from './http.ts';
import type { PixPayouts } from './payouts.ts';
import { readInfractions } from './poll.ts';
import type { ApiPixSettings } from './settings.ts';
import { tell } from './tell.ts';
import { WireError, type WirePix } from './wire.ts';

/** Who is asked. */
export interface ConfirmParts {
  readonly tools: RailTools;
  readonly settings: ApiPixSettings;
  readonly api: ApiPix;
  readonly payouts: PixPayouts | null;
}

/** Each entry costs a call of the provider; the statement has what is beyond. */
const ENTRIES_MAX = 100;
const AT_ONCE = 8;
/** Disputes are looked for so far back. Unit: ms. */
const LOOK_BACK_MS = 24 * 3_600_000;

/** @returns how such callers are heard. */
export function asking(parts: ConfirmParts): Hearing {
  const { tools, settings } = parts;
  return {
    pix: async ({ read, wrong }) => {
      if (read.length > ENTRIES_MAX)
        return { status: 413, words: `at most ${ENTRIES_MAX} entries without a certificate` };
      return awaited(async () => {
        const { known, strange } = await confirm(parts, read);
        await tell({ ...tools, settings }, known);
        return verdictOn(wrong ?? strange);
      });
    },
    infractions: async () => {
      if (settings.infractionsUrl === null) return NO_DISPUTES;
      const nowMs = await tools.clock.nowMs();
      const period = {
        from: new Date(nowMs - LOOK_BACK_MS).toISOString(),
        to: new Date(nowMs).toISOString(),
      };
      return (await readInfractions(parts, period)) ? verdictOn(undefined) : AGAIN;
    },
  };
}

const AGAIN: Verdict = { status: 503, words: 'the provider cannot be asked: tell it again' };

async function awaited(work: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PspAway) return AGAIN;
    throw error;
  }
}

/** Asks about each. @returns what the provider tells of those that it knows, and what is wrong where it does not know one. @throws {PspAway} {PspProblem} */
async function confirm(
  parts: ConfirmParts,
  told: readonly WirePix[],
): Promise<{ readonly known: readonly WirePix[]; readonly strange: WireError | undefined }> {
  const waiting = [...told];
  const known: WirePix[] = [];
  let strange: WireError | undefined;
  const take = async () => {
    for (let pix = waiting.shift(); pix; pix = waiting.shift()) {
      const found = pix.sent ? await sentAs(parts, pix, pix.sent.id) : await parts.api.getPix(pix.endToEndId);
      if (found) known.push(found);
      else strange ??= new WireError(`the provider does not know ${pix.sent?.id ?? pix.endToEndId}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return { known, strange };
}

/** @returns a PIX of ours as the provider tells it; undefined where it does not have it. */
async function sentAs({ payouts }: ConfirmParts, pix: WirePix, id: string): Promise<WirePix | undefined> {
  const found = await payouts?.find(id);
  if (!found) return undefined;
  const { status, endToEndId, returns } = found;
  // Without an EndToEndId it was not sent yet, or never: which of the two, the status says.
  const isOpen = endToEndId === null && status === 'REALIZADO';
  return {
    ...pix,
    endToEndId: endToEndId ?? '',
    returns,
    sent: { id, status: isOpen ? 'EM_PROCESSAMENTO' : status },
  };
}
