/** Takes a sign-in from one cell of an operator to another (docs/decisions/0095). Each cell has a session of its own, and its own rules. */
import { makeTransfer, readTransfer } from '../../base/access/sign-in-transfer.ts';
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Tx } from '../../store/connection/database.ts';
import { findByIdentity, readIdentities } from '../../store/people/identities.ts';
import { readOwnAccounts } from '../../store/people/people.ts';
import { JUST_MINUTES, readSignInTime } from '../../store/people/person-sessions.ts';
import { countAttempt } from '../../store/people/sign-in-attempts.ts';
import type { Context, Services } from '../services/context.ts';
import { type Device, signIn } from './sessions.ts';

/** One use of a transfer, counted for longer than it holds. */
const ONCE = { burst: 1, pauseMs: 600_000 };

/**
 * @param to - name of another cell.
 * @returns a secret for the browser, and the transfer of the caller's sign-in.
 * @throws {GatewayError} `NOT_FOUND` for a name of no cell, and where cells transfer nothing.
 */
export async function transferSignIn(
  { caller, cells: { own: from, others, signInKey }, database }: Context,
  to: string,
): Promise<{ readonly secret: string; readonly text: string }> {
  if (!signInKey || !others.some(({ cell }) => cell === to)) throw notFound();
  assert(caller.person, 'only people sign in');
  const identities = await readIdentities(database, caller.id);
  const signedInAt = await readSignInTime(database, caller.person.sessionId);
  return makeTransfer(signInKey, {
    ...{ from, to, identities },
    signedInAt: signedInAt.getTime(),
    madeAt: database.nowMs(),
  });
}

/**
 * Signs in the person of a transfer. The session counts as begun when the person signed in, and never as one that was begun just now: what
 * needs a passkey or a new sign-in needs it here too.
 *
 * @param secret - that the browser got with it.
 * @returns the token of the session.
 * @throws {GatewayError} `UNAUTHORIZED` where it does not hold, was used, or its person has no role here.
 */
export async function acceptTransfer(
  services: Services,
  { text, secret }: { readonly text: string; readonly secret: string },
  device: Device,
): Promise<string> {
  const { cells, database } = services;
  const nowMs = database.nowMs();
  const found = cells.signInKey && readTransfer(cells.signInKey, text, { secret, to: cells.own, nowMs });
  if (!found) throw refusal();
  const personId = await personOf(database, found.identities);
  const [account] = personId === undefined ? [] : await readOwnAccounts(database, personId);
  if (personId === undefined || !account) throw refusal();
  const { accountId } = account;
  const begunAt = new Date(Math.min(found.signedInAt, nowMs - JUST_MINUTES * 60_000));
  return signIn(services, { personId, accountId, method: 'CELL', begunAt }, device, async (tx) => {
    if ((await countAttempt(tx, `transfer ${found.id}`, ONCE, new Date(nowMs))) > 0) throw refusal();
  });
}

/** An e-mail address proves nothing here: whoever invites a person holds the link that first signs in under it. */
async function personOf(
  tx: Tx,
  identities: readonly { readonly issuer: string; readonly subject: string }[],
): Promise<string | undefined> {
  for (const identity of identities) {
    const person = await findByIdentity(tx, identity);
    if (person) return person.id;
  }
  return undefined;
}

function refusal(): GatewayError {
  return new GatewayError('UNAUTHORIZED', 'sign in to this cell');
}
