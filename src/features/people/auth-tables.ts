import { SESSION_DAYS } from './lifetimes.ts';

const HOUR = 3_600;
const SESSION_SECONDS = SESSION_DAYS * 24 * HOUR;

/** The columns of migration 0025 that the library fills. */
const PROOFS = {
  openedBy: { type: 'string', fieldName: 'opened_by', required: false, input: false },
  factorUsedAt: { type: 'date', fieldName: 'factor_used_at', required: false, input: false },
  passwordGivenAt: { type: 'date', fieldName: 'password_given_at', required: false, input: false },
} as const;

const DATES = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** Our tables and columns, and how long their rows last. */
export const TABLES = {
  session: {
    modelName: 'sessions',
    fields: {
      userId: 'person_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      ...DATES,
    },
    // Never put off: fourteen days are the most. Twelve idle hours end it as well (people.ts).
    expiresIn: SESSION_SECONDS,
    disableSessionRefresh: true,
    // Our own pages ask for a recent password and second factor (confirmation.ts).
    freshAge: 0,
    cookieCache: { enabled: false },
    additionalFields: PROOFS,
  },
  user: { modelName: 'people', fields: { emailVerified: 'email_verified', ...DATES } },
  account: {
    modelName: 'credentials',
    fields: {
      userId: 'person_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      ...DATES,
    },
    accountLinking: { enabled: false },
  },
  verification: {
    modelName: 'verifications',
    fields: { expiresAt: 'expires_at', ...DATES },
    storeIdentifier: 'hashed',
  },
} as const;
