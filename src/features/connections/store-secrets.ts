import type { Handle, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

/**
 * Secrets of an address that are valid at once: the current one and former ones whose day is not
 * over.
 */
export const MOST_VALID = 5;
/** The oldest of the former ones always stays: the carrier most likely still uses it. */
const NEWEST_KEPT = MOST_VALID - 3;

export interface SecretRow {
  readonly organization_id: string;
  readonly id: string;
  readonly secret: string;
  /** Null = the current one. */
  readonly expires_at: Instant | null;
}

/** No row = no organisation of that name has an address; newest first. */
const BY_ADDRESS = statement<SecretRow>(
  'connections.secrets-by-address',
  `select s.organization_id, s.id, s.secret, s.expires_at
     from organizations o join webhook_secrets s on s.organization_id = o.id
    where o.public_id = $1 and s.service = $2 and (s.expires_at is null or s.expires_at > $3::timestamptz)
    order by s.created_at desc, s.id desc limit ${MOST_VALID}`,
);

const CURRENT = statement<SecretRow>(
  'connections.current-secret',
  `select organization_id, id, secret, expires_at from webhook_secrets
    where organization_id = $1 and service = $2 and expires_at is null`,
);

const INSERT = statement<object>(
  'connections.insert-secret',
  `insert into webhook_secrets (organization_id, service, id, secret, created_at)
   values ($1, $2, $3, $4, $5) on conflict (organization_id, service) where expires_at is null do nothing`,
);

const REMOVE_FORMER = statement<object>(
  'connections.remove-former-secrets',
  `delete from webhook_secrets
    where organization_id = $1 and service = $2 and expires_at is not null and id not in (
      select id from (
        select id, row_number() over (order by expires_at, id) as oldest,
               row_number() over (order by expires_at desc, id desc) as newest
          from webhook_secrets
         where organization_id = $1 and service = $2 and expires_at > $3::timestamptz) valid
       where oldest = 1 or newest <= ${NEWEST_KEPT})`,
);

const END_CURRENT = statement<object>(
  'connections.end-current-secret',
  `update webhook_secrets set expires_at = $3
    where organization_id = $1 and service = $2 and expires_at is null`,
);

export function secretsByAddress(
  handle: Handle,
  publicId: string,
  service: string,
  now: Instant,
): Promise<SecretRow[]> {
  return handle.raw(BY_ADDRESS, [publicId, service, now.toString()]);
}

export async function currentSecret(
  scope: ReadScope,
  service: string,
): Promise<SecretRow | undefined> {
  return (await scope.prepared(CURRENT, [service]))[0];
}

/** Keeps a secret that another process made in the meantime. */
export async function insertSecret(
  scope: WriteScope,
  service: string,
  given: Pick<SecretRow, 'id' | 'secret'> & { readonly createdAt: Instant },
): Promise<void> {
  await scope.prepared(INSERT, [service, given.id, given.secret, given.createdAt.toString()]);
}

/** Each former one is valid until its own end, within the limit. */
export async function endCurrentSecret(
  scope: WriteScope,
  service: string,
  at: Instant,
): Promise<void> {
  await scope.prepared(REMOVE_FORMER, [service, scope.clock.now().toString()]);
  await scope.prepared(END_CURRENT, [service, at.toString()]);
}
