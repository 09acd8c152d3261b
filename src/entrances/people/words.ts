/** What better-auth says, in the project's codes and Spanish sentences. */

import type { AuthAnswer } from '../../features/people/index.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import type { FailureCode } from '../../platform/failures.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';

interface Words {
  readonly code: FailureCode;
  readonly message: string;
}

const BAD_CODE =
  'El código no es correcto, o ya se usó. Escribe el que muestra ahora tu aplicación.';
/**
 * One sentence for a wrong password, an unknown address and an unconfirmed one: none reveals the
 * others apart.
 */
const NOT_IN: Words = {
  code: 'session_required',
  message:
    'El correo o la contraseña no son correctos. Si te acabas de registrar, abre antes el enlace que te enviamos por correo.',
};

const WORDS: Readonly<Record<string, Words>> = {
  INVALID_EMAIL_OR_PASSWORD: NOT_IN,
  INVALID_EMAIL: NOT_IN,
  PASSWORD_TOO_LONG: NOT_IN,
  EMAIL_NOT_VERIFIED: NOT_IN,
  INVALID_PASSWORD: { code: 'invalid_request', message: 'La contraseña no es correcta.' },
  INVALID_CODE: { code: 'session_required', message: BAD_CODE },
  INVALID_BACKUP_CODE: {
    code: 'session_required',
    message: 'Ese código de respaldo no es correcto, o ya se usó.',
  },
  INVALID_TWO_FACTOR_COOKIE: {
    code: 'session_required',
    message: 'Pasó demasiado tiempo. Vuelve a entrar con tu contraseña.',
  },
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: {
    code: 'too_many_requests',
    message: 'Demasiados códigos equivocados. Vuelve a entrar con tu contraseña.',
  },
  ACCOUNT_TEMPORARILY_LOCKED: {
    code: 'too_many_requests',
    message: 'Demasiados códigos equivocados. Espera quince minutos.',
  },
  TOTP_ALREADY_ENABLED: {
    code: 'invalid_request',
    message: 'La verificación en dos pasos ya está activa.',
  },
  UNAUTHORIZED: { code: 'session_required', message: '' },
  INVALID_ORIGIN: { code: 'origin_not_allowed', message: '' },
  MISSING_OR_NULL_ORIGIN: { code: 'origin_not_allowed', message: '' },
  CROSS_SITE_NAVIGATION_LOGIN_BLOCKED: { code: 'origin_not_allowed', message: '' },
  CHALLENGE_NOT_FOUND: {
    code: 'invalid_request',
    message: 'Pasó demasiado tiempo. Intenta de nuevo con tu llave de acceso.',
  },
  PASSKEY_NOT_FOUND: {
    code: 'session_required',
    message: 'Esta llave de acceso no es de ninguna cuenta.',
  },
  PASSKEY_KNOWN: {
    code: 'invalid_request',
    message: 'Esa llave de acceso ya está registrada.',
  },
  PASSKEY_SUSPENDED: {
    code: 'session_required',
    message: `Esta llave de acceso está suspendida porque se eligió otra contraseña. Entra con tu contraseña y actívala en ${SITE_PAGES.account.name}.`,
  },
  AUTHENTICATION_FAILED: {
    code: 'session_required',
    message: 'La llave de acceso no se pudo comprobar.',
  },
  USER_VERIFICATION_REQUIRED: {
    code: 'session_required',
    message: 'Tu dispositivo debe pedirte huella, rostro o PIN para usar la llave de acceso.',
  },
};

const BY_STATUS: Readonly<Record<number, FailureCode>> = {
  400: 'invalid_request',
  401: 'session_required',
  403: 'origin_not_allowed',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'invalid_request',
  413: 'payload_too_large',
  429: 'too_many_requests',
};

/** Null when the answer is no refusal. */
export function failureOf({ status, body, retryAfter }: AuthAnswer): Failure | null {
  if (status < 400) return null;
  const words = WORDS[String(body?.code ?? '')];
  if (words) return fail(words.code, words.message === '' ? {} : { message: words.message });
  const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
  if (status === 429)
    return fail('too_many_requests', {
      message: 'Demasiados intentos. Espera un momento.',
      headers,
    });
  return fail(BY_STATUS[status] ?? 'internal_error');
}
