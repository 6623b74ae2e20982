/** Health of an account's deliveries: outcomes and times, in total, by endpoint and by slice of the time. */
import { invalidParameters } from '../../base/errors/errors.ts';
import { type DeliveryReportRow, readDeliveryReport, SLICES } from '../../store/webhooks/delivery-report.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Outcomes of deliveries that were created in the time. */
export type DeliveryFigures = Omit<DeliveryReportRow, 'endpointId' | 'slice'>;

/** Figures of one slice. */
export interface DeliverySlice extends DeliveryFigures {
  /** ISO 8601. */
  readonly since: string;
}

/** Figures of an endpoint. */
export interface EndpointFigures extends DeliveryFigures {
  readonly endpointId: string;
}

/** The report: figures of all, of each endpoint, and of each slice, oldest first. */
export interface DeliveryReport {
  readonly total: DeliveryFigures;
  readonly endpoints: readonly EndpointFigures[];
  readonly slices: readonly DeliverySlice[];
}

/** Maximum number of endpoints of a report: those with the most deliveries. */
export const ENDPOINTS_REPORTED = 100;
/** A week. */
export const REPORT_HOURS_MAX = 168;
const HOUR_MS = 3_600_000;

const NOTHING: DeliveryFigures = {
  delivered: 0,
  dead: 0,
  pending: 0,
  attempts: 0,
  failedAttempts: 0,
  successRate: null,
  medianMs: null,
  p95Ms: null,
};

/**
 * @param hours - back from the end of the current hour, on the clock of the account, by which webhooks are sent.
 * @param endpointId - undefined for all endpoints.
 * @throws {GatewayError} `FORBIDDEN` without `admin`; `INVALID_PARAMETER`.
 */
export async function reportDeliveries(
  context: Context,
  hours: number,
  endpointId?: string,
): Promise<DeliveryReport> {
  requireScope(context, 'admin');
  if (hours < 1 || hours > REPORT_HOURS_MAX)
    throw invalidParameters([
      { parameter: 'hours', message: `must be an integer from 1 to ${REPORT_HOURS_MAX}` },
    ]);
  const { database, caller, clock } = context;
  // Whole hours, so that a slice begins where a person expects it.
  const untilMs = (Math.floor((await clock.nowMs()) / HOUR_MS) + 1) * HOUR_MS;
  const sinceMs = untilMs - hours * HOUR_MS;
  const time = { since: new Date(sinceMs), until: new Date(untilMs) };
  const rows = await readDeliveryReport(database, caller.accountId, time, endpointId);
  const bySlice = new Map(rows.map((row) => [row.slice, row]));
  return {
    total: rows.find(({ endpointId, slice }) => endpointId === null && slice === null) ?? NOTHING,
    endpoints: endpointsOf(rows),
    slices: Array.from({ length: SLICES }, (_, at) => ({
      ...(bySlice.get(at) ?? NOTHING),
      since: new Date(sinceMs + (at * hours * HOUR_MS) / SLICES).toISOString(),
    })),
  };
}

function endpointsOf(rows: readonly DeliveryReportRow[]): readonly EndpointFigures[] {
  const all = rows.flatMap(({ endpointId, ...row }) => (endpointId === null ? [] : [{ endpointId, ...row }]));
  const count = ({ delivered, dead, pending }: EndpointFigures) => delivered + dead + pending;
  return all.toSorted((left, right) => count(right) - count(left)).slice(0, ENDPOINTS_REPORTED);
}
