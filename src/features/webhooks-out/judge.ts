import type { Answer } from '../../platform/network.ts';
import { type Flaw, NetworkError } from '../../platform/network-error.ts';
import { type Instant, parseHttpDate } from '../../platform/time.ts';

/** What the answer to a try means. */
export interface Judged {
  /** `aborted`: the endpoint does not want this event. */
  readonly verdict: 'delivered' | 'failed' | 'aborted';
  /** The endpoint wants no more events. */
  readonly endsEndpoint: boolean;
  /** It cannot keep up, or takes too long. */
  readonly isSlow: boolean;
  readonly retryAfterSeconds: number | null;
  /** For the log of attempts. */
  readonly outcome: 'delivered' | 'refused' | 'aborted' | NetworkError['kind'] | Flaw;
  readonly status: number | null;
  /** Its beginning. */
  readonly answer: string;
}

/** Of those that an attempt can have: its answer is cut and not refused where it is large. */
export const OUTCOMES = [
  ...(['delivered', 'refused', 'aborted', 'timeout', 'broken', 'refused_address'] as const),
  ...(['certificate_untrusted', 'certificate_expired', 'certificate_name', 'tls_failed'] as const),
  ...(['unasked_status', 'cut_off', 'not_http', 'headers_too_large'] as const),
] satisfies readonly Judged['outcome'][];

/** Of each answer so many bytes are kept. */
export const KEPT_BYTES = 16_384;
const GONE = 410;
const SLOW = new Set([429, 502, 504]);
const ASKS_TO_WAIT = new Set([429, 503]);

/** Redirects are refusals. @param now for a Retry-After that names a date */
export function judgeAnswer({ status, headers, body }: Answer, now: Instant): Judged {
  const wish = headers['webhook-delivery']?.trim().toLowerCase();
  const isDelivered = status >= 200 && status < 300;
  const verdict = isDelivered ? 'delivered' : wish === 'abort-message' ? 'aborted' : 'failed';
  return {
    verdict,
    endsEndpoint: status === GONE || wish === 'disable',
    isSlow: SLOW.has(status),
    retryAfterSeconds: ASKS_TO_WAIT.has(status) ? secondsOf(headers['retry-after'], now) : null,
    outcome: verdict === 'failed' ? 'refused' : verdict,
    status,
    // PostgreSQL keeps no NUL.
    answer: body.replaceAll('\0', '\ufffd'),
  };
}

/** The request did not come back. Throws whatever is no error of the network. */
export function judgeError(error: unknown): Judged {
  if (!(error instanceof NetworkError)) throw error;
  return {
    verdict: 'failed',
    endsEndpoint: false,
    isSlow: error.kind === 'timeout',
    retryAfterSeconds: null,
    outcome: error.flaw ?? error.kind,
    status: error.status,
    answer: '',
  };
}

function secondsOf(text: string | undefined, now: Instant): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  const at = parseHttpDate(text);
  return at && Math.max(0, now.until(at).total('seconds'));
}
