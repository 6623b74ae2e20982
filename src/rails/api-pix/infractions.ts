/**
 * Disputes and reports of fraud (MED). API Pix has no call for them, and providers report them in their own ways:
 * these are the ones of `crossramp psp`. Reports on a provider's screens alone are entered by the operator.
 */
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import type { DisputeNews, InfractionNews } from '../../resolvers/services/news.ts';
import { WireError } from './wire.ts';

const DISPUTES: Readonly<Record<string, DisputeNews['kind']>> = {
  ABERTA: 'dispute_opened',
  ACEITA: 'dispute_accepted',
  REJEITADA: 'dispute_rejected',
};
const AMOUNT = /^(?:0|[1-9]\d{0,9})\.\d{2}$/;
const NAME_MAX = 80;

/** Readable entries of a list, and the error of the first unreadable one. */
export interface InfractionEntries {
  readonly read: readonly (DisputeNews | InfractionNews)[];
  readonly wrong: WireError | undefined;
}

/**
 * @returns the content of a callback about disputes, or of a page of them.
 * @throws {WireError} when it is no such list.
 */
export function readInfractionList(json: unknown): InfractionEntries {
  const { infracoes } = (json ?? {}) as { readonly infracoes?: unknown };
  if (!Array.isArray(infracoes)) throw new WireError('there must be a list named infracoes');
  const read: (DisputeNews | InfractionNews)[] = [];
  let wrong: WireError | undefined;
  for (const [index, each] of infracoes.entries()) {
    try {
      read.push(...newsOf(each, `infracoes[${index}]`));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      wrong ??= new WireError(`${error.message}${named(each)}`);
    }
  }
  return { read, wrong };
}

/** A search at the provider needs its name. */
function named(json: unknown): string {
  const { idInfracao } = (json ?? {}) as { readonly idInfracao?: unknown };
  return typeof idInfracao === 'string' ? ` (idInfracao ${idInfracao.slice(0, NAME_MAX)})` : '';
}

/** A dispute that is first reported with its decision is reported as opened first: that report may have been lost. */
function newsOf(json: unknown, path: string): InfractionEntries['read'] {
  const given = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = given[name];
    if (typeof value === 'string' && value !== '' && value.length <= 500) return value;
    throw new WireError(`${path}.${name} must be a text`);
  };
  const amount = given.valor === undefined ? null : text('valor');
  if (amount !== null && !AMOUNT.test(amount)) throw new WireError(`${path}.valor must be such as 12.34`);
  const endToEndId = text('endToEndId');
  if (given.tipo === 'DISPUTA') {
    const kind = DISPUTES[text('status')];
    if (!kind) throw new WireError(`${path}.status must be ${Object.keys(DISPUTES).join(', ')}`);
    const dispute = { disputeId: text('idInfracao'), endToEndId, amount };
    const opened: DisputeNews = { kind: 'dispute_opened', ...dispute };
    return kind === opened.kind ? [opened] : [opened, { kind, ...dispute }];
  }
  if (given.tipo !== 'INFRACAO') throw new WireError(`${path}.tipo must be DISPUTA or INFRACAO`);
  const reportedAt = parseBrasiliaInstant(text('horario'));
  if (!reportedAt) throw new WireError(`${path}.horario must be an instant such as 2026-05-01T12:00:00Z`);
  const report: InfractionNews = {
    kind: 'infraction',
    infractionId: text('idInfracao'),
    endToEndId,
    amount,
    reason: given.motivo === undefined ? null : text('motivo'),
    reportedAt: reportedAt.toISOString(),
  };
  return [report];
}
