/**
 * Roles of people and their scopes. Keys and people share the scopes, so that one rule says which scope an action needs
 * (C-40). docs/security.md has this list as a table.
 */
import { PLATFORM_SCOPES, SCOPES, type Scope } from './api-key.ts';

/** Description of a role. */
export interface RoleTraits {
  readonly scopes: readonly Scope[];
  /** Purpose of the role, in one sentence. */
  readonly description: string;
}

/** Roles in an account. */
export const ACCOUNT_ROLES = {
  viewer: { scopes: ['read'], description: 'Sees everything and changes nothing.' },
  finance: {
    scopes: ['read', 'move'],
    description: 'Makes and approves withdrawals, manages the whitelist, refunds payments.',
  },
  developer: {
    scopes: ['read', 'create', 'admin'],
    description: 'Creates transactions; manages keys, webhooks and settings.',
  },
  operator: { scopes: SCOPES, description: 'Does everything that a key of the account can do.' },
  owner: { scopes: SCOPES, description: 'The same, and alone decides who is an owner.' },
} as const satisfies Readonly<Record<string, RoleTraits>>;

/** Roles in the account of the platform. */
export const PLATFORM_ROLES = {
  platform_viewer: { scopes: ['read'], description: 'Sees the data of the platform.' },
  platform_risk: {
    scopes: ['read', 'platform:risk'],
    description: 'Decides about holds, failed returns, suspense, rail events and orders to the PIX provider.',
  },
  platform_finance: {
    scopes: ['read', 'platform:pricing', 'platform:books'],
    description: 'Sets fees, spreads and limits; keeps the books of the house.',
  },
  platform_operator: {
    scopes: ['read', ...PLATFORM_SCOPES],
    description: 'Does everything that the platform does to accounts.',
  },
  platform_owner: {
    scopes: ['read', 'admin', ...PLATFORM_SCOPES],
    description: 'The same, and manages the keys and people of the platform.',
  },
} as const satisfies Readonly<Record<string, RoleTraits>>;

const ROLES = { ...ACCOUNT_ROLES, ...PLATFORM_ROLES };

/** Name of a role. */
export type Role = keyof typeof ROLES;

/** Every role. */
export const ROLE_NAMES = Object.keys(ROLES) as readonly Role[];

/** @returns the roles that people can have in an account. */
export function rolesOf({ isPlatform }: { readonly isPlatform: boolean }): readonly Role[] {
  return Object.keys(isPlatform ? PLATFORM_ROLES : ACCOUNT_ROLES) as Role[];
}

/** @returns the scopes of the role. */
export function scopesOf(role: Role): readonly Scope[] {
  return ROLES[role].scopes;
}

/** @returns the purpose of the role. */
export function describeRole(role: Role): string {
  return ROLES[role].description;
}

/** @returns whether the role may decide about other people. */
export function isOwner(role: Role): boolean {
  return role === 'owner' || role === 'platform_owner';
}
