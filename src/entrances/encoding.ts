/** How an answer's body may be coded, the smallest first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Not asked for, yet better than a coding that is refused. */
const UNASKED = 0.0001;

/** The coding that an `Accept-Encoding` prefers; of equal ones the smallest (RFC 9110, 12.5.3). */
export function encodingFor(accepted: string | undefined): Encoding {
  if (!accepted) return 'identity';
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (coding: Encoding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? UNASKED : 0);
  return ENCODINGS.reduce((best, next) => (weightOf(next) > weightOf(best) ? next : best));
}
