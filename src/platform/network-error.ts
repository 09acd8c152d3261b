// Apart from network.ts: an export's thread, which sends nothing, loads no HTTP client.

const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What was wrong with a connection that broke, as far as the error says it. */
export type Flaw =
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_name'
  | 'tls_failed'
  | 'unasked_status'
  | 'cut_off'
  | 'not_http'
  | 'headers_too_large';

/** By the code of the error. */
const FLAWS: ReadonlyMap<string, Flaw> = new Map([
  ['CERT_HAS_EXPIRED', 'certificate_expired'],
  ['CERT_NOT_YET_VALID', 'certificate_expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_name'],
  ['HOSTNAME_MISMATCH', 'certificate_name'],
  ['EPROTO', 'tls_failed'],
  ['UND_ERR_HEADERS_OVERFLOW', 'headers_too_large'],
  ['UND_ERR_SOCKET', 'cut_off'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'cut_off'],
  ['ECONNRESET', 'cut_off'],
  ['EPIPE', 'cut_off'],
]);
/** What else OpenSSL says of a certificate: nothing that was signed by a known authority has it. */
const UNTRUSTED = /CERT|^UNABLE_TO_|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_/;
/** The words of undici for a status of the 1xx that it does not read over. */
const UNASKED = /^bad (?:response|upgrade)$/;

/**
 * The request did not come back whole: refused, timed out, reset, too large, or without room in
 * memory beside the other answers (`crowded`).
 */
export class NetworkError extends Error {
  readonly kind: 'refused_address' | 'timeout' | 'too_large' | 'broken' | 'crowded';
  /** No connection was had: whatever was to be sent did not leave. */
  readonly isUnsent: boolean;
  /** Null = there was no connection, or the error does not say more. */
  readonly flaw: Flaw | null;
  /** Of an answer that began. */
  readonly status: number | null;

  constructor(
    kind: NetworkError['kind'],
    message: string,
    cause?: unknown,
    status: number | null = null,
  ) {
    super(message, { cause });
    this.name = 'NetworkError';
    this.kind = kind;
    this.isUnsent = kind === 'refused_address' || UNCONNECTED.has(codeOf(cause));
    this.flaw = kind === 'broken' ? flawOf(cause) : null;
    this.status = status;
  }
}

function flawOf(cause: unknown): Flaw | null {
  if (!(cause instanceof Error)) return null;
  if (UNASKED.test(cause.message)) return 'unasked_status';
  if (cause.name === 'HTTPParserError') return 'not_http';
  const code = codeOf(cause);
  const known = FLAWS.get(code);
  if (known) return known;
  if (UNTRUSTED.test(code)) return 'certificate_untrusted';
  return code.startsWith('ERR_SSL_') ? 'tls_failed' : null;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
