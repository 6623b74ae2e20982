/**
 * Disputes and reports of fraud (MED). API Pix has no call for them, and providers report them in their own ways:
 * these are the ones of `crossramp psp`. Reports on a provider's screens alone are entered by the operator.
 */
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import type { DisputeEvent, InfractionEvent } from '../../resolvers/services/rail-event.ts';
import type { MedDecision } from '../../store/rails/med-cases.ts';
import { WireError } from './wire.ts';

/** Statuses of the provider, with the decision that each tells; in defence, a case is open still. */
const DECISIONS: Readonly<Record<string, MedDecision | null>> = {
  ABERTA: null,
  EM_DEFESA: null,
  ACEITA: 'accepted',
  REJEITADA: 'rejected',
  CANCELADA: 'cancelled',
};
const AMOUNT = /^(?:0|[1-9]\d{0,9})\.\d{2}$/;
const NAME_MAX = 80;

/** Readable entries of a list, and the error of the first unreadable one. */
export interface InfractionEntries {
  readonly read: readonly (DisputeEvent | InfractionEvent)[];
  readonly wrong: WireError | undefined;
}

/**
 * @param readEntry - reads an entry of the list. @default as `crossramp psp` has it
 * @returns the content of a callback about disputes, or of a page of them.
 * @throws {WireError} when it is no such list.
 */
export function readInfractionList(
  json: unknown,
  readEntry: (json: unknown, path: string) => InfractionEntries['read'] = eventsOf,
): InfractionEntries {
  const { infracoes } = (json ?? {}) as { readonly infracoes?: unknown };
  if (!Array.isArray(infracoes)) throw new WireError('there must be a list named infracoes');
  const read: (DisputeEvent | InfractionEvent)[] = [];
  let wrong: WireError | undefined;
  for (const [index, each] of infracoes.entries()) {
    try {
      read.push(...readEntry(each, `infracoes[${index}]`));
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
function eventsOf(json: unknown, path: string): InfractionEntries['read'] {
  const entry = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  const text = (name: string): string => {
    const value = entry[name];
    if (typeof value === 'string' && value !== '' && value.length <= 500) return value;
    throw new WireError(`${path}.${name} must be a text`);
  };
  const instant = (name: string): string => {
    const at = parseBrasiliaInstant(text(name));
    if (at) return at.toISOString();
    throw new WireError(`${path}.${name} must be an instant such as 2026-05-01T12:00:00Z`);
  };
  const amount = entry.valor === undefined ? null : text('valor');
  if (amount !== null && !AMOUNT.test(amount)) throw new WireError(`${path}.valor must be such as 12.34`);
  const endToEndId = text('endToEndId');
  if (entry.tipo !== 'INFRACAO' && entry.tipo !== 'DISPUTA')
    throw new WireError(`${path}.tipo must be DISPUTA or INFRACAO`);
  const decision = entry.tipo === 'INFRACAO' && entry.status === undefined ? null : DECISIONS[text('status')];
  if (decision === undefined)
    throw new WireError(`${path}.status must be ${Object.keys(DECISIONS).join(', ')}`);
  const dueAt = entry.prazo !== undefined && { dueAt: instant('prazo') };
  const common = { endToEndId, amount, ...dueAt };
  return entry.tipo === 'DISPUTA'
    ? disputeEvent(
        {
          ...{ ...common, disputeId: text('idInfracao') },
          ...(entry.motivo !== undefined && { reason: text('motivo') }),
          ...(entry.horario !== undefined && decision === null && { openedAt: instant('horario') }),
        },
        decision,
      )
    : infractionEvent(
        {
          ...{ ...common, infractionId: text('idInfracao'), reportedAt: instant('horario') },
          reason: entry.motivo === undefined ? null : text('motivo'),
        },
        decision,
      );
}

function disputeEvent(
  dispute: Omit<DisputeEvent, 'kind'>,
  decision: MedDecision | null,
): readonly DisputeEvent[] {
  const opened: DisputeEvent = { kind: 'dispute_opened', ...dispute };
  if (decision === null) return [opened];
  const isAccepted = decision === 'accepted';
  return [
    opened,
    {
      kind: isAccepted ? 'dispute_accepted' : 'dispute_rejected',
      ...dispute,
      ...(decision === 'cancelled' && { isCancelled: true }),
    },
  ];
}

/** A decided report is reported as open first, like a dispute: both are stored once. */
function infractionEvent(
  report: Omit<InfractionEvent, 'kind'>,
  decision: MedDecision | null,
): readonly InfractionEvent[] {
  const opened: InfractionEvent = { kind: 'infraction', ...report };
  return decision === null ? [opened] : [opened, { ...opened, decision }];
}
