/** Kinds of notifications that people of an account get by e-mail, with the scope that a role needs to get them. */
import type { Scope } from './api-key.ts';
import { isOwner, ROLE_NAMES, type Role, scopesOf } from './roles.ts';

/** Kinds by name; `description` describes the event in one sentence. */
export const NOTIFICATIONS = {
  key: { scope: 'admin', description: 'An API key was created or rotated.' },
  invitation: { scope: 'admin', description: 'A person was invited to the account.' },
  protection: { scope: 'read', description: 'A setting that protects money was loosened, or will be.' },
  outflow: { scope: 'read', description: 'Money out is held until a person approves it.' },
  endpoint: { scope: 'admin', description: 'A webhook endpoint fails, or was disabled.' },
  waiting: { scope: 'read', description: 'Once a day: items that wait for a person.' },
} as const satisfies Readonly<Record<string, { readonly scope: Scope; readonly description: string }>>;

/** Name of a kind. */
export type NotificationKind = keyof typeof NOTIFICATIONS;

/** Every kind. */
export const NOTIFICATION_KINDS = Object.keys(NOTIFICATIONS) as readonly NotificationKind[];

/** @returns the kinds that people of the role may choose. */
export function kindsOf(role: Role): readonly NotificationKind[] {
  return NOTIFICATION_KINDS.filter((kind) => scopesOf(role).includes(NOTIFICATIONS[kind].scope));
}

/** @returns the default kinds of people in the role: all for owners, none for others. */
export function defaultKindsOf(role: Role): readonly NotificationKind[] {
  return isOwner(role) ? kindsOf(role) : [];
}

/** @returns each role with the kinds that it may choose, and whether each is on by default. */
export function kindsByRole(): readonly {
  readonly role: Role;
  readonly kind: NotificationKind;
  readonly isDefault: boolean;
}[] {
  return ROLE_NAMES.flatMap((role) =>
    kindsOf(role).map((kind) => ({ role, kind, isDefault: defaultKindsOf(role).includes(kind) })),
  );
}
