/** Lists of cases: all that match, or those that wait for a person. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Tx } from '../connection/database.ts';
import { type IdPart, type IdSlice, idList } from '../connection/id-list.ts';
import { CASE_COLUMNS, type CaseState, type CustomerCase } from './customer-cases.ts';

/** Filter of cases. */
export interface CaseFilter {
  readonly mode: AccountMode;
  /** Null means all accounts of the mode. */
  readonly accountId: bigint | null;
  readonly states: readonly CaseState[] | null;
  /** Without punctuation. */
  readonly taxId: string | null;
}

const SHAPE = {
  id: 'c.id',
  columns: CASE_COLUMNS,
  from: 'customer_case c join account a on a.id = c.account_id',
  filters: 4,
} as const;
const MATCHING = `a.mode = $1 and ($2::bigint is null or c.account_id = $2) and ($3::text[] is null or c.state = any ($3))
    and ($4::text is null or c.tax_id = $4)`;
const LIST = idList<CustomerCase>({ ...SHAPE, name: 'cases', where: MATCHING });
/**
 * The condition implies that of the index `customer_case_waiting`. A case without a name that was begun once was opened to
 * freeze the customer: no transaction asked for it.
 */
const WAITING = idList<CustomerCase>({
  ...SHAPE,
  name: 'cases_waiting',
  where: `${MATCHING} and (c.state in ('review', 'frozen') or c.is_late_denial or (c.provider is null and c.state = 'open' and (c.name is not null or c.attempts > 1)))`,
});

/** @returns a slice of the cases, newest first unless backward. */
export function listCases(
  database: Tx,
  { mode, accountId, states, taxId }: CaseFilter,
  { waitsForPerson }: { readonly waitsForPerson: boolean },
  slice: IdSlice,
): Promise<IdPart<CustomerCase>> {
  return (waitsForPerson ? WAITING : LIST)(database, [mode, accountId, states, taxId], slice);
}
