/** Notifications that people chose, in each account separately, and the language of their e-mail. */
import type { NotificationKind } from '../../base/access/notification-kinds.ts';
import type { Label } from '../../base/text/label.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** The choice of a person in an account. */
export interface NotificationChoice {
  readonly kinds: readonly NotificationKind[];
  readonly language: keyof Label;
}

/** A person of an account. */
export interface Chooser {
  readonly accountId: bigint;
  readonly personId: string;
}

const READ: Statement = {
  name: 'notification_choice_read',
  text: `select c.kinds, c.language, p.email, m.role from membership m join person p on p.id = m.person_id
      left join notification_choice c on c.account_id = m.account_id and c.person_id = m.person_id
     where m.account_id = $1 and m.person_id = $2`,
};
const STORE: Statement = {
  name: 'notification_choice_store',
  text: `insert into notification_choice (account_id, person_id, kinds, language) values ($1, $2, $3, $4)
    on conflict (account_id, person_id) do update set kinds = excluded.kinds, language = excluded.language`,
};

/** A member's address and role, with the choice; kinds and language are null where the person has not chosen. */
export interface ChoiceRow {
  readonly email: string;
  readonly role: string;
  readonly kinds: readonly NotificationKind[] | null;
  readonly language: keyof Label | null;
}

/** @returns the member; undefined if the person is not a member of the account. */
export async function readChoice(tx: Tx, { accountId, personId }: Chooser): Promise<ChoiceRow | undefined> {
  const [row] = await tx.query<ChoiceRow>(READ, [accountId, personId]);
  return row;
}

/** Stores a choice; it replaces the earlier one. */
export async function storeChoice(
  tx: Tx,
  { accountId, personId }: Chooser,
  { kinds, language }: NotificationChoice,
): Promise<void> {
  await tx.query(STORE, [accountId, personId, kinds, language]);
}
