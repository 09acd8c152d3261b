import type { WriteScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

interface Which {
  readonly callerId: string;
  readonly idempotencyKey: string;
}

const KEEP_HOURS = 24;

/** What is over is made again, also where the housekeeping has not removed it yet. */
const CLAIM = statement<object>(
  'idempotent-requests.claim',
  `insert into idempotent_requests as known
     (organization_id, key_id, idempotency_key, fingerprint, made_at)
   values ($1, $2::uuid, $3, $4, $5::timestamptz)
   on conflict (organization_id, key_id, idempotency_key) do update
     set fingerprint = excluded.fingerprint, made_at = excluded.made_at, answer_box = null
   where known.made_at <= $6::timestamptz
   returning 1`,
);

const KEEP = statement<object>(
  'idempotent-requests.keep',
  `update idempotent_requests set answer_box = $4::bytea
    where organization_id = $1 and key_id = $2::uuid and idempotency_key = $3`,
);

const FIND = statement<{ fingerprint: string; answer_box: Buffer | null }>(
  'idempotent-requests.find',
  `select fingerprint, answer_box from idempotent_requests
    where organization_id = $1 and key_id = $2::uuid and idempotency_key = $3`,
);

export const RETENTIONS = [
  retention(
    'idempotent_requests',
    KEEP_HOURS / 24,
    removeBefore('idempotent-requests.remove', 'idempotent_requests', 'made_at'),
  ),
];

/** Waits for another transaction with the same key. @returns whether this one makes the request */
export async function claim(
  scope: WriteScope,
  { callerId, idempotencyKey }: Which,
  fingerprint: string,
  now: Instant,
): Promise<boolean> {
  const over = now.subtract({ hours: KEEP_HOURS });
  const values = [callerId, idempotencyKey, fingerprint, now.toString(), over.toString()];
  return (await scope.prepared(CLAIM, values)).length > 0;
}

export async function keep(
  scope: WriteScope,
  { callerId, idempotencyKey }: Which,
  box: Buffer,
): Promise<void> {
  await scope.prepared(KEEP, [callerId, idempotencyKey, box]);
}

export async function find(scope: WriteScope, { callerId, idempotencyKey }: Which) {
  return (await scope.prepared(FIND, [callerId, idempotencyKey]))[0] ?? null;
}
