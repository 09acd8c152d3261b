import { faultOfRedirects } from './redirect-policy.ts';

/** Metadata that a client gave about itself, unverified. */
export type ClientMetadata = Record<string, unknown>;

/** What we keep of a client; a logo, for one, is never fetched nor shown. */
const KEPT = new Set([
  'client_id',
  'client_id_issued_at',
  'client_name',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'application_type',
]);
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MOST_NAME_CHARACTERS = 100;
/** The last one is a blank that counts as a symbol. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * Turns a client's metadata into a client that we can serve: public, with the code flow, and native
 * where the redirect address is on the person's machine. Metadata of real clients is often
 * incomplete or has more than we support; that alone is no error.
 * @returns what is wrong, in Spanish and, as the standard wants it, ASCII, beginning with the
 * field's name; null when all is well
 */
export function normaliseClient(metadata: ClientMetadata): string | null {
  for (const name of Object.keys(metadata)) if (!KEPT.has(name)) delete metadata[name];
  // Every client proves itself with PKCE; there is no secret to keep.
  metadata.token_endpoint_auth_method = 'none';
  return normaliseName(metadata) ?? normaliseFlow(metadata) ?? normaliseRedirects(metadata);
}

function normaliseName(metadata: ClientMetadata): string | null {
  if (typeof metadata.client_name !== 'string') return null;
  // Characters that cannot be seen could make one name look like another.
  const name = metadata.client_name.replace(UNSEEN, '').trim();
  if (name.length > MOST_NAME_CHARACTERS)
    return `client_name: hasta ${MOST_NAME_CHARACTERS} caracteres`;
  if (name === '') delete metadata.client_name;
  else metadata.client_name = name;
  return null;
}

function normaliseFlow(metadata: ClientMetadata): string | null {
  const { grant_types: grants, response_types: responses } = metadata;
  if (Array.isArray(responses) && !responses.includes('code'))
    return 'response_types: solo se admite code';
  metadata.response_types = ['code'];
  if (!Array.isArray(grants)) delete metadata.grant_types;
  else
    metadata.grant_types = GRANT_TYPES.filter(
      (type) => type === 'authorization_code' || grants.includes(type),
    );
  return null;
}

function normaliseRedirects(metadata: ClientMetadata): string | null {
  const { redirect_uris: uris } = metadata;
  if (!Array.isArray(uris) || uris.length === 0) return 'redirect_uris: hace falta una al menos';
  const fault = faultOfRedirects(uris);
  if (fault) return `redirect_uris: ${fault}`;
  const isNative = uris.some((uri) => !uri.toLowerCase().startsWith('https:'));
  metadata.application_type = isNative ? 'native' : 'web';
  return null;
}
