/** Efí's list of payouts (`GET /v2/gn/pix/enviados`). */
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import { AMOUNT, formed, objectOf, readPages, readPayout, textOf, WireError } from './wire.ts';

/** A payout of the list. */
export interface SentPayout {
  /** Our name for it; null for one that was not ordered by a program. */
  readonly id: string | null;
  /** As of `WirePayout`. */
  readonly status: string;
  /** Decimal BRL. */
  readonly amount: string;
  /** PIX key of the payee; null where it is not told. */
  readonly payeeKey: string | null;
  readonly orderedAt: Date;
}

/** A page of the list. */
export interface SentPage {
  readonly payouts: readonly SentPayout[];
  readonly pages: number;
}

/** @throws {WireError} also for a single payout that cannot be read: a missing one could be sent again. */
export function readSentPage(json: unknown): SentPage {
  const { pix = [] } = objectOf(json, 'the page');
  if (!Array.isArray(pix)) throw new WireError('pix must be a list');
  return { payouts: pix.map((each, index) => readSent(each, `pix[${index}]`)), pages: readPages(json) };
}

function readSent(json: unknown, path: string): SentPayout {
  const { idEnvio, valor, favorecido, horario } = objectOf(json, path);
  const times = objectOf(horario, `${path}.horario`);
  const orderedAt = parseBrasiliaInstant(textOf(times.solicitacao) ?? '');
  if (!orderedAt)
    throw new WireError(`${path}.horario.solicitacao must be an instant such as 2026-05-01T12:00:00Z`);
  return {
    id: textOf(idEnvio),
    status: readPayout(json).status,
    amount: formed(valor, AMOUNT, `${path}.valor`),
    payeeKey: textOf(objectOf(favorecido ?? {}, `${path}.favorecido`).chave),
    orderedAt,
  };
}
