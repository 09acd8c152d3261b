import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';

/** `hmac`: one secret for both sides. `ed25519`: the customer holds the public key alone. */
export const SIGNATURES = ['hmac', 'ed25519'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** As Standard Webhooks writes them. */
const PREFIXES = { hmac: 'whsec_', ed25519: 'whsk_', public: 'whpk_' } as const;
const SECRET_BYTES = 32;
const KEY_BYTES = 32;

interface Message {
  /** The event's; the same at each try. */
  readonly id: string;
  readonly epochSeconds: number;
  readonly body: string;
}

/** @returns `whsec_` and 32 bytes in base64, or `whsk_` and the seed with its public key */
export function newSecret(signature: Signature): string {
  if (signature === 'hmac') return PREFIXES.hmac + randomBytes(SECRET_BYTES).toString('base64');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url');
  return PREFIXES.ed25519 + Buffer.concat([seed, rawOf(publicKey)]).toString('base64');
}

/** What the customer verifies with: the secret itself, or the public key of the pair. */
export function verifierOf(secret: string): string {
  if (secret.startsWith(PREFIXES.hmac)) return secret;
  return PREFIXES.public + bytesOf(secret, PREFIXES.ed25519).subarray(KEY_BYTES).toString('base64');
}

/** Of what the customer verifies with. */
export function isPublicKey(verifier: string): boolean {
  return verifier.startsWith(PREFIXES.public);
}

/** The headers of Standard Webhooks. @param secrets several while one takes another's place */
export function signedHeaders(
  secrets: readonly string[],
  message: Message,
): Readonly<Record<string, string>> {
  const content = `${message.id}.${message.epochSeconds}.${message.body}`;
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.epochSeconds),
    'webhook-signature': secrets.map((secret) => signatureOf(secret, content)).join(' '),
  };
}

function signatureOf(secret: string, content: string): string {
  if (secret.startsWith(PREFIXES.hmac)) {
    const key = bytesOf(secret, PREFIXES.hmac);
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  }
  const pair = bytesOf(secret, PREFIXES.ed25519);
  return `v1a,${sign(null, Buffer.from(content), privateKeyOf(pair)).toString('base64')}`;
}

function privateKeyOf(pair: Buffer): KeyObject {
  const d = pair.subarray(0, KEY_BYTES).toString('base64url');
  const x = pair.subarray(KEY_BYTES).toString('base64url');
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
}

function rawOf(publicKey: KeyObject): Buffer {
  return Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
}

function bytesOf(secret: string, prefix: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64');
}
