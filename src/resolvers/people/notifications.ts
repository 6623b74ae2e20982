/** Notifications that a person gets by e-mail, separately in each account: the available kinds, and the choice. */
import {
  defaultKindsOf,
  kindsOf,
  NOTIFICATION_KINDS,
  type NotificationKind,
} from '../../base/access/notification-kinds.ts';
import type { Role } from '../../base/access/roles.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { Violations } from '../../base/errors/violations.ts';
import type { Label } from '../../base/text/label.ts';
import { type Chooser, readChoice, storeChoice } from '../../store/people/notification-choices.ts';
import { requireAccess } from '../checks/access.ts';
import { audited } from '../checks/audited.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';

/** Notifications of the calling person in the account. */
export interface OwnNotifications {
  /** Whether the gateway has a mail server. */
  readonly isSending: boolean;
  readonly email: string;
  readonly language: keyof Label;
  /** Kinds that the role may choose, with the choice. */
  readonly kinds: readonly { readonly kind: NotificationKind; readonly isOn: boolean }[];
}

const LANGUAGE_DEFAULT = 'pt';

/** @returns the notifications of the calling person; null for a key, which gets none. */
export async function ownNotifications(context: Context): Promise<OwnNotifications | null> {
  requireScope(context, 'read');
  const { caller, database, sendsMail } = context;
  if (!caller.person) return null;
  const found = await readChoice(database, chooserOf(context));
  if (!found) return null;
  const { email, language, kinds } = found;
  const role = found.role as Role;
  const chosen = kinds ?? defaultKindsOf(role);
  return {
    isSending: sendsMail,
    email,
    language: language ?? LANGUAGE_DEFAULT,
    kinds: kindsOf(role).map((kind) => ({ kind, isOn: chosen.includes(kind) })),
  };
}

/**
 * Chooses the notifications of the calling person in the account; kinds that the role does not get have no effect until it does.
 *
 * @throws {GatewayError} `FORBIDDEN` for a key.
 */
export async function chooseNotifications(
  context: Context,
  kinds: readonly NotificationKind[],
  language: keyof Label,
): Promise<OwnNotifications | null> {
  requirePermission(context, 'notifications.choose');
  const violations = new Violations();
  violations.atMost('input.kinds', kinds, NOTIFICATION_KINDS.length, 'kinds');
  violations.refuse();
  if (!context.caller.person)
    throw new GatewayError('FORBIDDEN', 'notifications are for people: a key gets none');
  const chosen = NOTIFICATION_KINDS.filter((kind) => kinds.includes(kind));
  await audited(context, async (tx, writeDown) => {
    // The choice belongs to a membership: that of a person who was removed has none.
    await requireAccess(context, tx, ['read']);
    const before = await readChoice(tx, chooserOf(context));
    await storeChoice(tx, chooserOf(context), { kinds: chosen, language });
    writeDown(
      'notifications.choose',
      { kind: 'person', id: context.caller.id },
      { before: { kinds: before?.kinds ?? null }, after: { kinds: chosen } },
    );
  });
  return ownNotifications(context);
}

function chooserOf({ caller }: Context): Chooser {
  return { accountId: caller.accountId, personId: caller.id };
}
