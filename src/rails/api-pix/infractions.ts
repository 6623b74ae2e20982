/**
 * Disputes and reports of fraud (MED). API Pix has no call for them, so each provider has its own; these calls are
 * those of `crossramp psp`. Operators enter reports that a provider shows only on its screens.
 */
import { parseBrasiliaInstant } from '../../base/time/instant.ts';
import type { DisputeEvent, InfractionEvent } from '../../resolvers/services/rail-event.ts';
import type { MedDecision } from '../../store/rails/med-cases.ts';
import { WireError } from './wire.ts';

/** Decision by the provider's status; null while the case is open, including during a defence. */
const DECISIONS: Readonly<Record<string, MedDecision | null>> = {
  ABERTA: null,
  EM_DEFESA: null,
  ACEITA: 'accepted',
  REJEITADA: 'rejected',
  CANCELADA: 'cancelled',
};
const AMOUNT = /^(?!0\.00$)(?:0|[1-9]\d{0,9})\.\d{2}$/;
const NAME_MAX = 80;

/** Readable entries of a list, and the error of the first unreadable one. */
export interface InfractionEntries {
  readonly read: readonly (DisputeEvent | InfractionEvent)[];
  readonly wrong: WireError | undefined;
}

/**
 * @param readEntry - reads an entry of the list. @default the form of `crossramp psp`
 * @returns the entries of a callback about disputes, or of a page of the list.
 * @throws {WireError} for any other body.
 */
export function readInfractionList(
  json: unknown,
  readEntry: (json: unknown, path: string) => InfractionEntries['read'] = eventsOf,
): InfractionEntries {
  const { infracoes } = (json ?? {}) as { readonly infracoes?: unknown };
  if (!Array.isArray(infracoes)) throw new WireError('there must be a list named infracoes');
  return entriesOf(infracoes, (each, path) => readEntry(each, `infracoes${path}`));
}

/** @param readEntry - reads an entry at a position such as `[0]`. @returns the readable entries of a list. */
export function entriesOf<Entry>(
  list: readonly Entry[],
  readEntry: (entry: Entry, path: string) => InfractionEntries['read'],
): InfractionEntries {
  const read: (DisputeEvent | InfractionEvent)[] = [];
  let wrong: WireError | undefined;
  for (const [index, each] of list.entries()) {
    try {
      read.push(...readEntry(each, `[${index}]`));
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      wrong ??= new WireError(`${error.message}${named(each)}`);
    }
  }
  return { read, wrong };
}

/** Names an unreadable entry in its error, so that an operator can find it at the provider. */
function named(json: unknown): string {
  const { idInfracao } = (json ?? {}) as { readonly idInfracao?: unknown };
  return typeof idInfracao === 'string' ? ` (idInfracao ${idInfracao.slice(0, NAME_MAX)})` : '';
}

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
  const isDispute = entry.tipo === 'DISPUTA';
  // In a decided entry, `horario` is the time of the decision.
  const isOpening = entry.horario !== undefined && decision === null;
  return caseEvents({
    ...{ isDispute, id: text('idInfracao'), endToEndId, amount, decision },
    reason: entry.motivo === undefined ? null : text('motivo'),
    openedAt: !isDispute || isOpening ? instant('horario') : null,
    ...(entry.prazo !== undefined && { dueAt: instant('prazo') }),
  });
}

/** A case in the terms of its provider. */
export interface ProviderCase {
  /** Whether the case blocks money; otherwise it is a report of fraud. */
  readonly isDispute: boolean;
  readonly id: string;
  readonly endToEndId: string;
  /** Decimal BRL; null means the remaining amount of the payment. */
  readonly amount: string | null;
  readonly reason: string | null;
  /** ISO 8601; null for a dispute without a known opening time. */
  readonly openedAt: string | null;
  readonly dueAt?: string;
  readonly decision: MedDecision | null;
}

/** @returns the events of a case: its opening, whose own report may have been lost, and its decision. */
export function caseEvents({
  isDispute,
  id,
  openedAt,
  reason,
  decision,
  ...more
}: ProviderCase): InfractionEntries['read'] {
  const { endToEndId, amount, dueAt } = more;
  const common = { endToEndId, amount, ...(dueAt !== undefined && { dueAt }) };
  if (!isDispute)
    return infractionEvent({ ...common, infractionId: id, reportedAt: openedAt as string, reason }, decision);
  const opening = { ...(reason !== null && { reason }), ...(openedAt !== null && { openedAt }) };
  return disputeEvent({ ...common, disputeId: id, ...opening }, decision);
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

/** A decided report is first reported as open, as for disputes; each event is stored once. */
function infractionEvent(
  report: Omit<InfractionEvent, 'kind'>,
  decision: MedDecision | null,
): readonly InfractionEvent[] {
  const opened: InfractionEvent = { kind: 'infraction', ...report };
  return decision === null ? [opened] : [opened, { ...opened, decision }];
}
