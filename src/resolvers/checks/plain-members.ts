/**
 * Members of a creation's body that are kept as they are once they are checked: each is the fact of its name. The input of GraphQL,
 * the body of `/v2`, its OpenAPI and the check (`CreationChecks.kept`) are made from these lists, so that one more is one entry.
 */
import type { Named } from '../../base/violations.ts';

/** One of them: words of the caller's own, or a URL. */
export type PlainMember = {
  /** For whoever reads the documents of GraphQL or of `/v2`. */
  readonly doc: string;
} & ({ readonly is: 'words'; readonly maxLength: number } | { readonly is: 'url' });

/** A list of them, by the name that resolvers and GraphQL use; `/v2` has it in snake_case. */
export type PlainMembers = Readonly<Record<string, PlainMember>>;

/** Where a session belongs in the caller's own records, and where it leads. */
export const SESSION_MEMBERS = {
  externalCode: { is: 'words', maxLength: 200, doc: 'Your own reference, 1 to 200 characters.' },
  returnUrl: {
    is: 'url',
    doc: 'Where the customer is sent after the payment: an https URL without user name or password.',
  },
  webhook: {
    is: 'url',
    doc: 'https URL, without user name or password, that receives the events of this transaction. Default: the endpoints of the account.',
  },
} as const satisfies PlainMembers;

/** What is noted beside a withdrawal. */
export const WITHDRAWAL_MEMBERS = {
  notes: { is: 'words', maxLength: 500, doc: 'Your own notes, at most 500 characters.' },
} as const satisfies PlainMembers;

/** Every list. */
export const PLAIN_MEMBERS: readonly PlainMembers[] = [SESSION_MEMBERS, WITHDRAWAL_MEMBERS];

/** What a caller gives of a list; each under the caller's own name for it. */
export type Given<Members> = { readonly [Name in keyof Members]?: Named | undefined };

/** What is kept of a list, null where nothing is said. */
export type Kept<Members> = { readonly [Name in keyof Members]: string | null };

/** What a caller says of a session. */
export interface SessionInput extends Given<typeof SESSION_MEMBERS> {
  /** Its life in seconds. */
  readonly expiresIn?: Named | undefined;
}
