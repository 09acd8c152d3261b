/**
 * The configuration of better-auth: our tables, our passwords, our mails. It and
 * `auth-confirmed-sessions.ts` alone import better-auth, and are loaded at the first request: they
 * take longer to load than all the rest.
 */
import { randomInt } from 'node:crypto';
import { passkey } from '@better-auth/passkey';
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { APIError, getSessionFromCtx } from 'better-auth/api';
import { twoFactor } from 'better-auth/plugins';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { Keyring } from '../../platform/seal.ts';
import type { Instant } from '../../platform/time.ts';
import { confirmedSessions } from './auth-confirmed-sessions.ts';
import { TABLES } from './auth-tables.ts';
import {
  ADDRESS_HEADER,
  AUTH_PATH,
  cookiePrefix,
  hashBackupCode,
  isSecure,
  originsOf,
  secretsOf,
} from './auth-terms.ts';
import type { OpenedBy } from './confirmation.ts';
import { hashedTokens } from './hashed-tokens.ts';
import {
  type HashPassword,
  LONGEST_PASSWORD,
  SHORTEST_PASSWORD,
  verifyPassword,
} from './passwords.ts';

export interface AuthParts {
  /** Connections with the driver's own types. */
  readonly pool: NonNullable<BetterAuthOptions['database']>;
  readonly keyring: Keyring;
  readonly publicUrl: string;
  readonly log: Log;
  readonly hashPassword: HashPassword;
  /** Gets what the library replaces with an error of its own. */
  onFailure(error: Error): void;
  /** @returns false when the person signed in with this code before */
  useCode(personId: string, code: string): Promise<boolean>;
  now(): Instant;
  /** @param credentialId as WebAuthn calls it */
  isPasskeyKnown(credentialId: string): Promise<boolean>;
  /**
   * @param credentialId as WebAuthn calls it
   * @param personId of the session in which it is used
   */
  acceptPasskey(
    credentialId: string,
    personId: string | null,
    request: Request | undefined,
  ): Promise<boolean>;
}

const BACKUP_CODES = 10;
const BACKUP_CODE_LETTERS = '23456789abcdefghjkmnpqrstuvwxyz';
const BACKUP_CODE_LENGTH = 16;

/**
 * The routes that open a session; a session made by any other route inherits that of the request.
 */
const OPENED_BY: Readonly<Record<string, OpenedBy>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'code',
  '/two-factor/verify-backup-code': 'backup_code',
  '/passkey/verify-authentication': 'passkey',
};

export type Auth = ReturnType<typeof openAuth>;

export function openAuth(parts: AuthParts) {
  const { publicUrl, keyring } = parts;
  return betterAuth({
    appName: 'Tianguis',
    baseURL: publicUrl,
    basePath: AUTH_PATH,
    trustedOrigins: originsOf(publicUrl),
    secrets: secretsOf(keyring),
    database: parts.pool,
    telemetry: { enabled: false },
    logger: loggerOf(parts),
    // Otherwise it writes errors to standard error itself, past the log, and answers 500 to all of
    // them.
    onAPIError: { throw: true },
    emailAndPassword: {
      enabled: true,
      // Links by mail are ours (links.ts), and so is what they change (choose-password.ts); a person
      // is made together with an organisation (sign-up.ts).
      disableSignUp: true,
      requireEmailVerification: true,
      minPasswordLength: SHORTEST_PASSWORD,
      maxPasswordLength: LONGEST_PASSWORD,
      password: { hash: parts.hashPassword, verify: verifyPassword },
    },
    ...TABLES,
    rateLimit: {
      enabled: true,
      storage: 'database',
      modelName: 'sign_in_limits',
      fields: { lastRequest: 'last_request' },
      window: 60,
      max: 120,
      customRules: {
        '/sign-in/email': { window: 60, max: 30 },
        '/two-factor/*': { window: 60, max: 30 },
        '/passkey/*': { window: 60, max: 60 },
      },
    },
    advanced: {
      cookiePrefix: cookiePrefix(isSecure(publicUrl)),
      // If set, the library would put `__Secure-` before our own prefix.
      useSecureCookies: false,
      defaultCookieAttributes: {
        httpOnly: true,
        sameSite: 'lax',
        path: '/',
        secure: isSecure(publicUrl),
      },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // With joins, a sign-in runs one query whether or not the address has an account.
      database: { generateId: newId, joins: true },
    },
    databaseHooks: {
      session: {
        create: {
          before: async (session, context) => {
            const openedBy = OPENED_BY[context?.path ?? ''];
            if (
              openedBy === 'code' &&
              !(await parts.useCode(session.userId, String(context?.body?.code)))
            )
              throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE' });
            return {
              data: openedBy
                ? provedBy(openedBy, parts.now())
                : carriedOn(context?.context.session),
            };
          },
        },
      },
    },
    plugins: [hashedTokens, confirmedSessions, codes(), passkeys(parts)],
  });
}

/** One-time codes and backup codes. */
function codes() {
  return twoFactor({
    issuer: 'Tianguis',
    backupCodeOptions: {
      customBackupCodesGenerate: () => Array.from({ length: BACKUP_CODES }, newBackupCode),
      storeBackupCodes: {
        encrypt: async (codes) => hashCodes(codes),
        decrypt: async (hashes) => hashes,
      },
    },
    schema: {
      user: { fields: { twoFactorEnabled: 'second_factor_enabled' } },
      twoFactor: {
        modelName: 'second_factors',
        fields: {
          userId: 'person_id',
          backupCodes: 'backup_codes',
          failedVerificationCount: 'failed_count',
          lockedUntil: 'locked_until',
        },
      },
    },
  });
}

function passkeys(parts: AuthParts) {
  const { publicUrl } = parts;
  return passkey({
    rpID: new URL(publicUrl).hostname,
    rpName: 'Tianguis',
    origin: originsOf(publicUrl),
    // A passkey replaces password and second factor at once, so the device must verify its owner.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    registration: {
      afterVerification: async ({ verification }) => {
        const { userVerified, credential } = verification.registrationInfo ?? {};
        if (!userVerified) throw unverified();
        if (credential && (await parts.isPasskeyKnown(credential.id)))
          throw new APIError('CONFLICT', { code: 'PASSKEY_KNOWN' });
      },
    },
    authentication: {
      afterVerification: async ({ ctx, verification }) => {
        const { userVerified, credentialID } = verification.authenticationInfo;
        if (!userVerified) throw unverified();
        const inside = await getSessionFromCtx(ctx);
        if (!(await parts.acceptPasskey(credentialID, inside?.user.id ?? null, ctx.request)))
          throw new APIError('UNAUTHORIZED', { code: 'PASSKEY_SUSPENDED' });
      },
    },
    schema: {
      passkey: {
        modelName: 'passkeys',
        fields: {
          userId: 'person_id',
          publicKey: 'public_key',
          credentialID: 'credential_id',
          deviceType: 'device_type',
          backedUp: 'backed_up',
          createdAt: 'created_at',
        },
      },
    },
  });
}

/** Whether the library refused, rather than failed. */
export function isRefusal(error: unknown): boolean {
  return error instanceof APIError && error.statusCode < 500;
}

function provedBy(openedBy: OpenedBy, now: Instant) {
  return openedBy === 'password'
    ? { openedBy, factorUsedAt: null, passwordGivenAt: now.toString() }
    : { openedBy, factorUsedAt: now.toString(), passwordGivenAt: null };
}

function carriedOn(former: { session: Record<string, unknown> } | null | undefined) {
  const {
    openedBy = 'password',
    factorUsedAt = null,
    passwordGivenAt = null,
  } = former?.session ?? {};
  return { openedBy, factorUsedAt, passwordGivenAt };
}

/** Hashes the remaining codes. */
function hashCodes(json: string): string {
  const codes = JSON.parse(json) as string[];
  return JSON.stringify(
    codes.map((code) => (/^[0-9a-f]{64}$/.test(code) ? code : hashBackupCode(code))),
  );
}

function newBackupCode(): string {
  const letters = Array.from(
    { length: BACKUP_CODE_LENGTH },
    () => BACKUP_CODE_LETTERS[randomInt(BACKUP_CODE_LETTERS.length)],
  ).join('');
  return letters.replace(/(.{4})(?!$)/g, '$1-');
}

function unverified(): APIError {
  return new APIError('UNAUTHORIZED', { code: 'USER_VERIFICATION_REQUIRED' });
}

/**
 * The library's messages may contain people's addresses: only errors are logged, reduced to the
 * thrown value.
 */
function loggerOf({ log, onFailure }: Pick<AuthParts, 'log' | 'onFailure'>) {
  return {
    level: 'error' as const,
    log: (_level: string, _message: string, ...facts: unknown[]) => {
      const error = facts.find(
        (fact): fact is Error => fact instanceof Error && !(fact instanceof APIError),
      );
      if (!error) return;
      onFailure(error);
      log.error({ err: error }, 'sign-in library failed');
    },
  };
}
