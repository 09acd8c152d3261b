import type { IncomingMessage } from 'node:http';
import { invalid } from '../../platform/failure.ts';

const LONGEST_KEY = 200;
const KEY_HEADER = 'Idempotency-Key';

/** @returns null where it was not sent @throws Failure invalid_request */
export function idempotencyKeyOf(request: IncomingMessage): string | null {
  const given = request.headers[KEY_HEADER.toLowerCase()];
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^[\x21-\x7e]+$/.test(given) || given.length > LONGEST_KEY)
    throw invalid(
      KEY_HEADER,
      `El encabezado ${KEY_HEADER} admite de 1 a ${LONGEST_KEY} caracteres ASCII sin espacios.`,
    );
  return given;
}
