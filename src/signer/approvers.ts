/** Who may prove that a destination is an account's: passkeys and keys that the operator has entered into the policy. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Settings, SettingsError } from '../base/settings.ts';

/** A passkey, as the gateway's `crossramp person passkeys` prints it. */
export interface PasskeyApprover {
  readonly kind: 'passkey';
  /** Id of the passkey, base64url. */
  readonly id: string;
  /** COSE, base64url. */
  readonly publicKey: string;
  /** Host name that it belongs to. */
  readonly rpId: string;
  /** Origin of the console where it is shown. */
  readonly origin: string;
}

/** A public key of an account. */
export interface KeyApprover {
  readonly kind: 'key';
  /** A name of the operator's choice. */
  readonly id: string;
  readonly publicKey: KeyObject;
}

/** Either of them. */
export type Approver = PasskeyApprover | KeyApprover;

const KEY_FORM = 'an Ed25519 or P-256 public key in PEM';

/** @param given - member `approvers` of the policy. @throws {SettingsError} naming the place and the accepted form. */
export function readApprovers(given: readonly Settings[]): readonly Approver[] {
  const ids = new Set<string>();
  return given.map((each) => {
    const approver = approverOf(each);
    const id = `${approver.kind} ${approver.id}`;
    if (ids.has(id)) each.refuse('id', 'an id that no other approver has');
    ids.add(id);
    each.end();
    return approver;
  });
}

function approverOf(given: Settings): Approver {
  const kind = given.choice('kind', ['passkey', 'key']);
  const id = given.text('id');
  if (kind === 'key') return { kind, id, publicKey: publicKeyOf(given) };
  return {
    kind,
    id,
    publicKey: given.match('publicKey', /^[\w-]+$/, 'a COSE key in base64url'),
    rpId: given.text('rpId'),
    origin: given.text('origin'),
  };
}

/** No message here repeats what was given: it may be the private key. */
function publicKeyOf(given: Settings): KeyObject {
  const pem = given.text('publicKey');
  try {
    const key = createPublicKey(pem);
    const isKnown =
      key.asymmetricKeyType === 'ed25519' ||
      (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1');
    if (isKnown && !pem.includes('PRIVATE')) return key;
  } catch {
    // Told below.
  }
  throw new SettingsError(`${given.at('publicKey')}: expected ${KEY_FORM}`);
}
