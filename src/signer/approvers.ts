/** Keys that may prove destinations, as the operator entered them into the policy. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Settings, SettingsError } from '../base/process/settings.ts';

/** A public key of a person or an account. */
export interface KeyApprover {
  /** Name chosen by the operator. */
  readonly id: string;
  readonly publicKey: KeyObject;
  /** Account whose destinations the approver proves; null for all accounts. */
  readonly account: string | null;
}

/** Form of an account id of the gateway. */
export const ACCOUNT_FORM = /^[\w.-]{1,64}$/;

const KEY_FORM = 'an Ed25519 or P-256 public key in PEM';

/** @param settings - member `approvers` of the policy. @throws {SettingsError} naming the member and the accepted form. */
export function readApprovers(settings: readonly Settings[]): readonly KeyApprover[] {
  const ids = new Set<string>();
  return settings.map((each) => {
    const approver = approverOf(each);
    if (ids.has(approver.id)) each.refuse('id', 'an id that no other approver has');
    ids.add(approver.id);
    return each.end(approver);
  });
}

function approverOf(settings: Settings): KeyApprover {
  // A passkey registered at the gateway proves nothing here: a compromised gateway could register its own.
  if (settings.raw('kind') === 'passkey')
    settings.refuse(
      'kind',
      '"key"; a passkey is enrolled on the page of the signer (crossramp signer enrol)',
    );
  settings.choice('kind', ['key']);
  return {
    id: settings.text('id'),
    publicKey: publicKeyOf(settings),
    account: settings.has('account')
      ? settings.match('account', ACCOUNT_FORM, 'the id of an account at the gateway')
      : null,
  };
}

/** No message here repeats the input: it may be the private key. */
function publicKeyOf(settings: Settings): KeyObject {
  const pem = settings.text('publicKey');
  try {
    const key = createPublicKey(pem);
    const isKnown =
      key.asymmetricKeyType === 'ed25519' ||
      (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1');
    if (isKnown && !pem.includes('PRIVATE')) return key;
  } catch {
    // Refused below.
  }
  throw new SettingsError(`${settings.at('publicKey')}: expected ${KEY_FORM}`);
}
