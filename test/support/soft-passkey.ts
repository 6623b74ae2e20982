/** A passkey in software: answers as a browser does for a page, or as one that lies about the page. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Page that an answer claims to come from. */
export interface ClaimedPage {
  readonly origin: string;
  readonly rpId: string;
  /** 5: a person was there and was verified. */
  readonly flags?: number;
}

/** The passkey. */
export interface SoftPasskey {
  readonly id: string;
  /** COSE, in base64url. */
  readonly publicKey: string;
  /** @param challenge - in base64url. @returns an assertion. */
  readonly answer: (challenge: string, page: ClaimedPage) => object;
  /** @returns a registration. */
  readonly register: (challenge: string, page: ClaimedPage) => object;
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();
const text = (data: Buffer) => data.toString('base64url');
const ATTESTED = 0x40;

/** @returns a new passkey with a key of its own. */
export function softPasskey(): SoftPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const rawId = randomBytes(16);
  const id = text(rawId);
  // COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };
  return {
    id,
    publicKey: text(cose),
    answer: (challenge, { origin, rpId, flags = 5 }) => {
      const data = Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, 9])]);
      const client = clientData('webauthn.get', challenge, origin);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = { authenticatorData: text(data), clientDataJSON: text(client) };
      return { ...credential, response: { ...response, signature: text(signature) } };
    },
    register: (challenge, { origin, rpId, flags = 5 }) => {
      const data = Buffer.concat([
        sha256(rpId),
        Buffer.from([flags | ATTESTED, 0, 0, 0, 0]),
        Buffer.alloc(16),
        Buffer.from([0, rawId.length]),
        rawId,
        cose,
      ]);
      // CBOR: {"fmt": "none", "attStmt": {}, "authData": data}.
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746158', 'hex'),
        Buffer.from([data.length]),
        data,
      ]);
      const client = clientData('webauthn.create', challenge, origin);
      return {
        ...credential,
        response: { attestationObject: text(attestation), clientDataJSON: text(client) },
      };
    },
  };
}
