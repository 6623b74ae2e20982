/** What a customer moved: the sums that limits are compared with. */
import type { Family } from '../../templates/define.ts';
import type { Statement, Tx } from '../database.ts';

/**
 * BRL is the source of a ramp to crypto and the target of one to BRL. What ended without money moving does not count:
 * cancelled, expired, refused or failed before anything was paid.
 */
const VOLUME: Statement = {
  name: 'customer_volume',
  text: `select coalesce(sum(case when t.source_currency = 'BRL' then t.source_amount else t.target_amount end), 0)::text as volume
    from transaction t
    where t.account_id = $1 and t.family = $2 and t.client_tax_id_key = tax_id_key($3) and t.created_at >= $4
      and not (t.component = 'quote' and t.state in ('EXPIRED', 'ERROR', 'CANCELLED'))
      and t.state not in ('IRREGULAR', 'LIMIT', 'DIVERGENT', 'EXPIRED', 'DENIED', 'ERROR')`,
};

/** @returns BRL that the customer moved since then by transactions of the family. */
export async function customerVolume(
  database: Tx,
  accountId: bigint,
  family: Family,
  clientTaxId: string,
  since: Date,
): Promise<string> {
  const [row] = await database.query<{ volume: string }>(VOLUME, [accountId, family, clientTaxId, since]);
  return row?.volume ?? '0';
}
