/** The audit log: its types, `Query.auditLog`, and the entries of a transaction. */
import { isoMillis } from '../base/time/instant.ts';
import { type AuditInput, findAuditEntry, readAuditLog } from '../resolvers/audit/read-audit.ts';
import { bounded, LISTED_MAX } from '../resolvers/checks/lengths.ts';
import type { LoggedEntry } from '../store/account/audit-log.ts';
import { ACTOR_KINDS, AUDIT_OBJECT_KINDS } from '../store/engine/audit.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import {
  type Connection,
  connectionOf,
  countedArguments,
  decodeNumber,
  encodeCursor,
  exactConnection,
  type PositionedArgs,
  pageComplexity,
  positionedSlice,
  searchedComplexity,
} from './pagination.ts';

const ACTORS: Readonly<Record<(typeof ACTOR_KINDS)[number], string>> = {
  KEY: 'An API key; the id is that of the key.',
  PERSON: 'A person who was signed in; the id is that of the person.',
  OPERATOR: 'An operator by the CLI; the id is the user of the operating system, the address the host.',
  PAYER: 'The holder of the link of a payment session, or a visitor of a payment link.',
  SYSTEM: 'The gateway itself: for a change that takes effect after the cooling time, or a demonstration.',
};
const FILTERS = {
  acts: bounded(
    'Only these acts, such as `webhook.create`; docs/security.md lists them.',
    LISTED_MAX,
    'acts',
  ),
  actorId: 'Only acts of this actor, such as the id of a key.',
  objectId: 'Only acts on the object with this id.',
  since: 'Only acts at this moment or later.',
  until: 'Only acts before this moment.',
} as const;

/** Defines `AuditEntry` with its types, and `Query.auditLog`. @returns the type of entries, and the kinds of actors. */
export function defineAuditLog(builder: Builder) {
  const actorKind = builder.enumType('AuditActorKind', {
    description: 'Kind of actor.',
    values: Object.fromEntries(ACTOR_KINDS.map((kind) => [kind, { description: ACTORS[kind] }])),
  });
  const entry = defineEntry(builder, actorKind);
  defineNames(builder, entry);
  const connection = exactConnection(builder, entry, {
    name: 'AuditLog',
    page: 'A page of the audit log.',
    edge: 'An entry of the audit log and its cursor.',
    total: 'Number of all entries that match, not only of this page. Exact.',
  });
  builder.queryField('auditLog', (t) =>
    t.field({
      type: connection,
      description:
        'The audit log of the account: one entry for each action that is not a read, newest first. Needs the scope `admin`.',
      args: {
        ...countedArguments(t.arg),
        acts: t.arg.stringList({ description: FILTERS.acts }),
        actorId: t.arg.string({ description: FILTERS.actorId }),
        objectId: t.arg.string({ description: FILTERS.objectId }),
        since: t.arg({ type: 'DateTime', description: FILTERS.since }),
        until: t.arg({ type: 'DateTime', description: FILTERS.until }),
      },
      complexity: ({ acts: actions, actorId, objectId, since, until, ...page }) => {
        const isFiltered = [actions, actorId, objectId, since, until].some((each) => each != null);
        return isFiltered ? searchedComplexity(page) : pageComplexity(page);
      },
      resolve: async (_root, args, context) => {
        const { acts: actions, actorId, objectId, since, until } = args;
        const input = {
          acts: actions ? { name: 'acts', values: actions } : undefined,
          actorId: actorId ?? undefined,
          objectId: objectId ?? undefined,
          since: since ?? undefined,
          until: until ?? undefined,
        };
        return (await readPage(context, args, input)) as never;
      },
    }),
  );
  return { actorKind, entry };
}

/** The kinds of actors. */
export type ActorKindRef = ReturnType<typeof defineAuditLog>['actorKind'];
/** The type of entries. */
export type AuditEntryRef = ReturnType<typeof defineAuditLog>['entry'];

function defineEntry(builder: Builder, actorKind: ReturnType<Builder['enumType']>) {
  return builder.objectRef<LoggedEntry>('AuditEntry').implement({
    description: 'An action that is not a read, recorded together with it.',
    fields: (t) => ({
      seq: t.string({
        description: 'Number of the entry in the log of the account, from 1 without gaps.',
        resolve: ({ seq }) => String(seq),
      }),
      at: t.field({
        type: 'DateTime',
        description: 'When it happened, on the clock of the account.',
        resolve: ({ at }) => isoMillis(at),
      }),
      machineAt: t.field({
        type: 'DateTime',
        nullable: true,
        description:
          'When it happened on the clock of the database; only if the two clocks differ by more than a minute.',
        resolve: ({ machineAt }) => machineAt && isoMillis(machineAt),
      }),
      act: t.exposeString('act', { description: 'Name of the action, such as `webhook.create`.' }),
      scope: t.exposeString('scope', { description: 'Scope that the action needs.' }),
      actorKind: t.field({
        type: actorKind,
        description: 'Kind of the actor.',
        resolve: (row) => row.actorKind as never,
      }),
      actorId: t.exposeString('actorId', {
        description: 'Id of the actor, such as that of a key or person.',
      }),
      maker: t.exposeString('maker', {
        nullable: true,
        description: 'For an approval: the key or person that requested the approved withdrawal or journal.',
      }),
      objectKind: t.exposeString('objectKind', {
        description: `Kind of the object: ${AUDIT_OBJECT_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
      }),
      objectId: t.exposeString('objectId', { description: 'Id of the object.' }),
      before: t.field({
        type: 'JSONObject',
        nullable: true,
        description: 'Changed members of the object before the action. No secrets.',
        resolve: ({ before }) => (before === null ? null : JSON.parse(before)),
      }),
      after: t.field({
        type: 'JSONObject',
        nullable: true,
        description: 'Changed or created members of the object after the action. No secrets.',
        resolve: ({ after }) => (after === null ? null : JSON.parse(after)),
      }),
      requestId: t.exposeString('requestId', {
        nullable: true,
        description: 'Id of the request, as its answer has it in `X-Request-Id`.',
      }),
      address: t.exposeString('address', {
        nullable: true,
        description: 'Address of the client, or the host of an operator.',
      }),
      hash: t.exposeString('hash', {
        description:
          'SHA-256 over the hash of the previous entry and this entry, hexadecimal (docs/decisions/0022).',
      }),
    }),
  });
}

/** The current names of keys and people. */
function defineNames(builder: Builder, entry: ReturnType<typeof defineEntry>): void {
  const names = {
    actorName: ['actorId', 'Name of the key or the person that did it, as it is now; null for other actors.'],
    makerName: ['maker', 'For an approval: name of the key or person that made the request, as it is now.'],
    objectName: ['objectId', 'Name of the key or the person that was acted on; null for other objects.'],
  } as const;
  builder.objectFields(entry, (t) =>
    Object.fromEntries(
      Object.entries(names).map(([name, [member, description]]) => [
        name,
        t.string({
          nullable: true,
          description,
          resolve: ({ [member]: id }, _args, { loaders }) => id && loaders.actorName.load(id),
        }),
      ]),
    ),
  );
}

async function readPage(
  context: GraphqlContext,
  args: PositionedArgs,
  input: AuditInput,
): Promise<Connection<LoggedEntry>> {
  // The connection begins with the newest: entries after a cursor have smaller numbers.
  const slice = await positionedSlice(args, decodeNumber, (number) => findAuditEntry(context, input, number));
  const { after, before, size, isBackward } = slice;
  const { entries, total } = await readAuditLog(context, input, {
    before: after ?? null,
    after: before ?? null,
    isNewestFirst: !isBackward,
    limit: size + 1,
  });
  const exists = async (beyond: { before: bigint | null; after: bigint | null }) =>
    (await readAuditLog(context, input, { ...beyond, isNewestFirst: true, limit: 1 })).entries.length > 0;
  return connectionOf(entries, slice, {
    totalCount: total,
    cursorOf: ({ seq }) => encodeCursor(String(seq)),
    isPreceded: after !== undefined && (await exists({ before: null, after: after - 1n })),
    isFollowed: before !== undefined && (await exists({ before: before + 1n, after: null })),
  });
}
