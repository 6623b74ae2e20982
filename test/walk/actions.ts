/** The words that walks are written in: how transactions are made, and what is done on the way. */
import { type Action, expectStatus, half, least, less, type Make, type Walker } from './walker.ts';

/** So long that no session ends by itself while the clock is set ahead for others: 20 days. */
export const LONG_S = 1_728_000;

type Body = Readonly<Record<string, unknown>>;
/** A body, or what makes one of what is known by then. */
type BodyOf = Body | ((walker: Walker) => Body | Promise<Body>);

/** Made by POST to the family's path. */
export function rest(body: BodyOf): Make {
  return async (walker) => {
    const given = await bodyFor(walker, body);
    return expectStatus(await walker.client.post(walker.walk.path, given), 201).end2end;
  };
}

/** Made by a mutation that takes `input` and gives a payload with the transaction. */
export function mutation(name: string, input: BodyOf): Make {
  return async (walker) => {
    const given = await bodyFor(walker, input);
    return (await walker.client.mutate(name, given, 'transaction { end2end }')).transaction.end2end;
  };
}

/** POST to the family's path, refused as it has to be. */
export function refused(status: number, code: string, body: BodyOf): Make {
  return async (walker) => {
    const given = await bodyFor(walker, body);
    const { code: found } = expectStatus(await walker.client.post(walker.walk.path, given), status);
    if (found !== code) throw new Error(`is refused with ${found} instead of ${code}`);
    return undefined;
  };
}

function bodyFor(walker: Walker, body: BodyOf): Body | Promise<Body> {
  return typeof body === 'function' ? body(walker) : body;
}

/** Plays a scenario; `amount` where it is told what is paid or deposited. */
export function play(scenario: string, amount?: (walker: Walker) => string): Action {
  return async (walker) => {
    const given = amount?.(walker);
    const body = { scenario, end2end: walker.end2end, ...(given !== undefined && { amount: given }) };
    return expectStatus(await walker.client.post('/v2/sandbox/trigger', body), 200);
  };
}

/** A scenario that must not fit where the transaction stands. */
export function playRefused(scenario: string): Action {
  return async ({ client, end2end }) => {
    const { code } = expectStatus(await client.post('/v2/sandbox/trigger', { scenario, end2end }), 409);
    if (code !== 'STEP_CONFLICT') throw new Error(`${scenario} is refused with ${code}`);
  };
}

/** Something other than the exact amount is deposited: so much more, or less where it is negative. */
export function depositWrong(difference: string): Action {
  return async (walker) => {
    const exact = walker.figures.deposit as string;
    const deposit = less(exact, difference.startsWith('-') ? difference.slice(1) : `-${difference}`);
    walker.note({ deposit });
    return play('deposit-wrong', () => deposit)(walker);
  };
}

/** POST to the transaction, such as `cancel`. */
export function post(action: string, body: Body = {}): Action {
  return async (walker) => expectStatus(await walker.client.post(pathOf(walker, action), body), 200);
}

/** As `post`, by the second key. */
export function postBySecond(action: string): Action {
  return async (walker) => {
    const { means } = walker;
    if (!means.second) throw new Error('there is no second key');
    return expectStatus(await means.second.post(pathOf(walker, action)), 200);
  };
}

/** POST to the transaction that must be refused. */
export function postRefused(action: string, status: number, code: string, body: Body = {}): Action {
  return async (walker) => {
    const { code: found } = expectStatus(await walker.client.post(pathOf(walker, action), body), status);
    if (found !== code) throw new Error(`${action} is refused with ${found} instead of ${code}`);
  };
}

/** A mutation on the transaction; `args` besides its id. */
export function mutate(name: string, args: BodyOf = {}): Action {
  return async (walker) =>
    walker.client.mutate(name, { end2end: walker.end2end, ...(await bodyFor(walker, args)) });
}

/** The operator decides about what is held, or about the customer; `more`: what the mutation takes besides. */
export function decide(name: string, more: object = {}): Action {
  return async ({ client, means, end2end }) => {
    const { viewer } = await client.graphql('{ viewer { account { accountId } } }');
    if (!means.platform) throw new Error('only the operator decides about what is held');
    await means.platform.mutate(name, { account: viewer.account.accountId, end2end, ...more });
  };
}

/** Time passes. */
export function wait(by: string): Action {
  return (walker) => walker.advance(by);
}

/** All acts at one step, in order. */
export function inTurn(...actions: readonly Action[]): Action {
  return async (walker) => {
    for (const action of actions) await action(walker);
  };
}

/** A dispute is opened; what it can hold is noted: at most what is available. */
export const disputeOpen: Action = async (walker) => {
  const { crypto = '0' } = walker.figures;
  const held = least(await walker.available(walker.currency), crypto);
  walker.note({ held, rest: less(crypto, held) });
  return play('dispute-open')(walker);
};

/** All of what the transaction brought is spent, or half of it: somebody else is paid out of it. */
export function spend(share: 'all' | 'half'): Action {
  return async (walker) => {
    const { crypto = '0' } = walker.figures;
    const amount = share === 'all' ? crypto : half(crypto, 6);
    await walker.makeOther('/v2/offramp', {
      amount_paid: amount,
      currency_entry_paid_code: walker.currency,
      ...payee(walker),
    });
  };
}

/** All of what is available is spent. */
export const spendAll: Action = async (walker) => {
  const amount = await walker.available(walker.currency);
  await walker.makeOther('/v2/offramp', {
    amount_paid: amount,
    currency_entry_paid_code: walker.currency,
    ...payee(walker),
  });
};

/** Members of a creation that name the customer. */
export function customer(walker: Walker) {
  return { client_name: 'Ana Souza', client_tax_id: walker.taxId };
}

/** Members of a creation that name the payee and where to pay. */
export function payee(walker: Walker) {
  return { ...customer(walker), pix_key: 'ana@example.com', pix_key_type: 'email' };
}

function pathOf({ walk, end2end }: Pick<Walker, 'walk' | 'end2end'>, action: string): string {
  return `${walk.path}/${end2end}/${action}`;
}
