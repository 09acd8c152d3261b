import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { PageAnswer, Visitor } from './visitor.ts';

/**
 * A passkey in software, as WebAuthn level 2 describes it: ES256, attestation `none`.
 */
interface Authenticator {
  /**
   * Registers at the account that the visitor is signed in to, by the two ceremonies of the page's
   * script.
   */
  register(visitor: Visitor): Promise<PageAnswer>;
  /** Signs the visitor in. */
  enter(visitor: Visitor): Promise<PageAnswer>;
  /** Whether it verifies its user, by a PIN for example, from now on; true at first. */
  verifyUser(isVerified: boolean): void;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;
const CEREMONIES = '/api/auth/passkey';

/** @param origin of the pages on which it is used */
export function openAuthenticator(origin: string): Authenticator {
  const id = randomBytes(16);
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let counter = 0;
  let verified = USER_VERIFIED;

  function dataFor(rpId: string, flags: number): Buffer {
    const head = Buffer.alloc(37);
    createHash('sha256').update(rpId).digest().copy(head);
    head.writeUInt8(USER_PRESENT | verified | flags, 32);
    head.writeUInt32BE(++counter, 33);
    return head;
  }

  function credential(response: Record<string, unknown>) {
    const name = id.toString('base64url');
    return { id: name, rawId: name, type: 'public-key', clientExtensionResults: {}, response };
  }

  function clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  return {
    verifyUser(isVerified) {
      verified = isVerified ? USER_VERIFIED : 0;
    },
    async register(visitor) {
      const options = await visitor.get(`${CEREMONIES}/generate-register-options`);
      if (options.status !== 200) return options;
      const { challenge, rp } = JSON.parse(options.text).data;
      const size = Buffer.from([0, id.length]);
      const data = Buffer.concat([
        dataFor(rp.id, HAS_CREDENTIAL),
        Buffer.alloc(16),
        size,
        id,
        coseOf(publicKey.export({ format: 'jwk' })),
      ]);
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
        attestationObject: attestationOf(data).toString('base64url'),
        transports: ['internal'],
      };
      return visitor.ask(`${CEREMONIES}/verify-registration`, { response: credential(response) });
    },
    async enter(visitor) {
      const options = await visitor.get(`${CEREMONIES}/generate-authenticate-options`);
      const { challenge, rpId } = JSON.parse(options.text).data;
      const [data, client] = [dataFor(rpId, 0), clientData('webauthn.get', challenge)];
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      };
      return visitor.ask(`${CEREMONIES}/verify-authentication`, { response: credential(response) });
    },
  };
}

/** A public key on P-256 as a COSE map. */
function coseOf({ x = '', y = '' }: { x?: string; y?: string }): Buffer {
  const point = (text: string) => Buffer.from(text, 'base64url');
  const bytes = (hex: string) => Buffer.from(hex, 'hex');
  return Buffer.concat([bytes('a5010203262001215820'), point(x), bytes('225820'), point(y)]);
}

/** CBOR of `{fmt: 'none', attStmt: {}, authData}`. */
function attestationOf(data: Buffer): Buffer {
  const text = (word: string) =>
    Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x58, data.length]),
    data,
  ]);
}
