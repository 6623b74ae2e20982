/** Filters of transactions in the caller's form, each under the caller's own name for it. */
import type { Named } from '../../base/errors/violations.ts';
import type { Zone } from '../../base/time/zone.ts';
import type {
  FilterKind,
  FilterName,
  ListFilterName,
  TRANSACTION_FILTERS,
} from '../../store/engine/transaction-filters.ts';
import type { Family } from '../../templates/define.ts';
import type { StatusCode } from '../../templates/status.ts';
import type { Wait } from './awaiting.ts';

/** Several values of a filter, under the caller's name for it. */
export interface NamedList<Value> {
  readonly name: string;
  readonly values: readonly Value[];
}

/** Whether BRL is paid in by PIX, or money leaves: by PIX or to a wallet. */
export type Direction = 'in' | 'out';

/** The value of each kind of filter. */
interface Values extends Readonly<Record<FilterKind, unknown>> {
  readonly text: Named;
  readonly currency: Named;
  readonly day: Named;
  readonly step: Named;
  readonly amount: Named;
  readonly families: NamedList<Family>;
  readonly templates: NamedList<string>;
  readonly statuses: NamedList<StatusCode>;
  readonly direction: Direction;
  readonly wait: Wait;
  readonly flag: boolean;
}

/** Kinds whose value is one text. */
export const ONE_TEXT: readonly FilterKind[] = ['text', 'currency', 'day', 'step', 'amount'];
/** Kinds whose value is a list. */
export const LISTED = ['families', 'templates', 'statuses'] as const satisfies readonly FilterKind[];

/** All filters; every family if none is named. */
export type MergedFilterInput = {
  readonly [Name in FilterName]?: Values[(typeof TRANSACTION_FILTERS)[Name]['kind']] | undefined;
} & {
  /** Zone of the days; the default is UTC. */
  readonly zone?: Zone | undefined;
};

/** Filters of one list of `/v2`. */
export type ListFilterInput = Pick<MergedFilterInput, ListFilterName>;
