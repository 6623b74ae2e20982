/** Hits of screening and the lists: `Query.screeningHits`, `Query.screeningLists`, and the mutations that decide about a hit. */
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { decideHit, findOwnHit, listHits, readHit } from '../resolvers/screening/decide-hits.ts';
import { readLists } from '../resolvers/screening/read-lists.ts';
import type { ScreeningList } from '../resolvers/services/rails.ts';
import { HIT_STATES, type HitRow, type HitState } from '../store/rails/screening-hits.ts';
import type { Builder } from './builder.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { named, REASON_ARGUMENT, reasonOf } from './named.ts';
import { nodeType } from './node.ts';
import { KEY_ARGUMENT, performOnce } from './once.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';

const STRENGTHS = {
  exact: 'The same address or tax id, or the word of a provider.',
  strong: 'A name as good as the same, of which no word is left over.',
  review: 'A name that resembles the one of the list.',
} as const;
const ANSWERS = {
  held: 'A person has to look at it.',
  frozen: 'A list of sanctions: the money is frozen, and does not go back.',
} as const;
const HIT_ID = 'Identifier of the hit.';
const MUTATIONS = {
  dismissScreeningHit: [
    'hit.dismiss',
    'Dismisses a hit of screening: it is somebody else. The same subject is not stopped for the same entry again. A transaction that is held because of it is released by `releaseHold`.',
  ],
  confirmScreeningHit: [
    'hit.confirm',
    'Confirms a hit of screening: it is the person or the address of the list.',
  ],
} as const;

/** Defines `ScreeningHit`, `ScreeningList`, their queries, `dismissScreeningHit` and `confirmScreeningHit`. @returns the type of hits. */
export function defineScreening(builder: Builder) {
  const state = builder.enumType('ScreeningHitState', {
    description: 'State of a hit of screening.',
    values: describedValues(HIT_STATES),
  });
  const hit = defineHit(builder, state);
  const connection = exactConnection(builder, hit, {
    name: 'ScreeningHit',
    page: 'A page of hits of screening.',
    edge: 'A hit of screening and its cursor.',
    total: 'Number of all hits that match, not only of this page. Exact.',
  });
  builder.queryField('screeningHits', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: connection,
      description:
        'Hits of screening, newest first: persons and addresses that match a list or that a provider objects to. Needs the scope `platform:risk`.',
      args: {
        state: t.arg({ type: state, description: 'Only hits in this state; default: all.' }),
        account: t.arg.string({
          description: 'Only hits of this account, by its identifier; default: of all accounts.',
        }),
        ...countedArguments(t.arg),
      },
      complexity: countedComplexity,
      resolve: async (_root, { state: wanted, account, ...args }, context) => {
        const query = { state: wanted ?? null, account: named('account', account) };
        return (await idConnection(args, (slice) => listHits(context, query, slice))) as never;
      },
    }),
  );
  defineLists(builder);
  defineDecisions(builder, hit);
  return hit;
}

/** The type of hits. */
export type HitRef = ReturnType<typeof defineHit>;

function defineDecisions(builder: Builder, hit: HitRef): void {
  for (const [mutation, [action, description]] of Object.entries(MUTATIONS))
    defineMutation(builder, mutation, {
      result: ['screeningHit', hit],
      description: `${description} Other open hits of the same subject and entry are decided with it. Error \`STEP_CONFLICT\` if it is decided. Needs the scope \`platform:risk\`.`,
      input: (t) => ({
        hitId: t.string({ required: true, description: HIT_ID }),
        reason: t.string(REASON_ARGUMENT),
        idempotencyKey: t.string(KEY_ARGUMENT),
      }),
      resolve: async (args, context) => {
        const isDismissed = action === 'hit.dismiss';
        const { stored } = await performOnce(context, { mutation, action, args }, async (attempt) => {
          const decided = await decideHit(
            context,
            args.hitId,
            isDismissed,
            reasonOf(args),
            checksOf(context),
            attempt,
          );
          return { id: String(decided.id) };
        });
        return findOwnHit(context, stored.id);
      },
    });
}

function defineLists(builder: Builder): void {
  const list = builder.objectRef<ScreeningList>('ScreeningList').implement({
    description: 'A list that this machine screens against.',
    fields: (t) => ({
      list: t.exposeString('list', {
        description: 'Name of the list: `ofac`, `un`, `ceis`, `cnep`, `pep` or `own`.',
      }),
      version: t.exposeString('version', {
        nullable: true,
        description: 'Version in use; null if none could be read, and nobody passes.',
      }),
      entries: t.exposeInt('entries', { description: 'Number of its entries.' }),
      fileAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When its file was written; null where there is none.',
        resolve: ({ fileAt }) => fileAt,
      }),
      isStale: t.exposeBoolean('isStale', { description: 'Whether it is older than the settings allow.' }),
      refusal: t.exposeString('refusal', {
        nullable: true,
        description: 'Reason why the newest file is not used; null if it is.',
      }),
    }),
  });
  builder.queryField('screeningLists', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [list],
      description: 'The lists that this machine screens against. Needs a scope of the platform.',
      resolve: async (_root, _args, context) => [...(await readLists(context)).lists],
    }),
  );
}

function defineHit(
  builder: Builder,
  state: ReturnType<typeof builder.enumType<'ScreeningHitState', Record<string, { value: HitState }>>>,
) {
  const { strength, answer } = defineHitEnums(builder);
  const hit = hitRef(builder).implement({
    interfaces: [nodeOfHit(builder)],
    description: 'A person or an address that matches an entry of a list, or that a provider objects to.',
    fields: (t) => ({
      hitId: t.string({ description: HIT_ID, resolve: ({ id }) => String(id) }),
      role: t.exposeString('role', {
        description:
          'Part of the subject: `customer`, `payee`, `payer`, `sender`, `wallet`, `destination`, `own_address` for a whitelisted one, `holder` for the company of an account, or `owner` of it.',
      }),
      subjectName: t.exposeString('subjectName', {
        nullable: true,
        description: 'Name of the subject; null for an address.',
      }),
      taxId: t.exposeString('taxId', {
        nullable: true,
        description: 'CPF or CNPJ of the subject; null where it is not known.',
      }),
      address: t.exposeString('address', {
        nullable: true,
        description: 'Address that was compared; null for a person.',
      }),
      list: t.exposeString('list', { description: 'Name of the list or of the provider.' }),
      entry: t.exposeString('entry', { description: 'Identifier of the entry within the list.' }),
      entryName: t.exposeString('entryName', { description: 'Name of the entry as the list shows it.' }),
      score: t.exposeString('score', { description: 'Similarity from 0 to 1, at most four decimals.' }),
      strength: t.field({
        type: strength,
        description: 'Score of the match from the rail.',
        resolve: (row) => row.strength as keyof typeof STRENGTHS,
      }),
      answer: t.field({ type: answer, description: 'Consequence of the hit.', resolve: (row) => row.answer }),
      version: t.exposeString('version', { description: 'Version of the list; empty for a provider.' }),
      state: t.field({ type: state, description: 'State of the hit.', resolve: (row) => row.state }),
      account: t.string({
        description: 'Identifier of the account of the transaction or the customer.',
        resolve: ({ accountId }) => String(accountId),
      }),
      end2end: t.exposeString('end2end', {
        nullable: true,
        description: 'Screened transaction; null if customers and addresses were compared with a new list.',
      }),
      raisedAt: t.field({
        type: 'DateTime',
        description: 'When it was found.',
        resolve: ({ raisedAt }) => isoOf(raisedAt),
      }),
    }),
  });
  defineDecision(builder, hit);
  return hit;
}

/** Defines the fields about the decision on a hit. */
function defineDecision(builder: Builder, hit: HitNode): void {
  builder.objectFields(hit, (t) => ({
    decidedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When a person decided about it; null while it is open.',
      resolve: ({ decidedAt }) => decidedAt && isoOf(decidedAt),
    }),
    decidedBy: t.exposeString('decidedBy', {
      nullable: true,
      description: 'Identifier of the key or the person that decided; null while it is open.',
    }),
    decidedByName: t.string({
      nullable: true,
      description: 'Name of that key or person, as it is now.',
      resolve: ({ decidedBy }, _args, { loaders }) => decidedBy && loaders.actorName.load(decidedBy),
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason of the decision; null while it is open.',
    }),
  }));
}

type HitNode = ReturnType<ReturnType<typeof hitRef>['implement']>;

function hitRef(builder: Builder) {
  return builder.objectRef<HitRow>('ScreeningHit');
}

function nodeOfHit(builder: Builder) {
  return nodeType<HitRow>(builder, 'ScreeningHit', { rawId: ({ id }) => String(id), read: readHit });
}

function defineHitEnums(builder: Builder) {
  const strength = builder.enumType('ScreeningStrength', {
    description: 'Quality of a match between a subject and an entry.',
    values: describedValues(STRENGTHS),
  });
  const answer = builder.enumType('ScreeningAnswer', {
    description: 'Consequence of a hit.',
    values: describedValues(ANSWERS),
  });
  return { strength, answer };
}
