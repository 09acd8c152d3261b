// Apart from network.ts: an export's thread, which sends nothing, loads no HTTP client.

const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * The request did not come back whole: refused, timed out, reset, too large, or without room in
 * memory beside the other answers (`crowded`).
 */
export class NetworkError extends Error {
  readonly kind: 'refused_address' | 'timeout' | 'too_large' | 'broken' | 'crowded';
  /** No connection was had: whatever was to be sent did not leave. */
  readonly isUnsent: boolean;

  constructor(kind: NetworkError['kind'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'NetworkError';
    this.kind = kind;
    this.isUnsent = kind === 'refused_address' || UNCONNECTED.has(codeOf(cause));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
