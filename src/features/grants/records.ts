import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { sha256 } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { endGrant } from './grants.ts';
import * as store from './store-records.ts';

/** A record of the authorization server. Times are whole epoch seconds. */
type RecordPayload = Record<string, unknown>;

/** The authorization server's store for one kind of record; the form is the library's. */
interface Records {
  upsert(id: string, payload: RecordPayload, seconds?: number): Promise<void>;
  find(id: string): Promise<RecordPayload | undefined>;
  findByUid(uid: string): Promise<RecordPayload | undefined>;
  findByUserCode(code: string): Promise<undefined>;
  /** @returns false when it was consumed meanwhile. */
  consume(id: string): Promise<boolean>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** The id of these is the secret itself, so only its hash is stored. */
const SECRET = new Set([
  'AccessToken',
  'RefreshToken',
  'AuthorizationCode',
  'Session',
  'Interaction',
]);
const TIMES = ['iat', 'exp', 'iiat', 'loginTs', 'authTime'];
const CLIENT = 'Client';
const KEEP_UNUSED_CLIENT_HOURS = 24 * 30;
/** The use of a client is stored at most this often. */
const NOTE_USE_EVERY_HOURS = 24;

/**
 * The records of one kind. The library reads the machine's clock; stored times are by ours and are
 * converted back to the machine's, so that records expire when our clock says so.
 */
export function recordsOf(database: Database, clock: Clock, model: string): Records {
  const keyOf = (id: string) => (SECRET.has(model) ? sha256(id) : id);
  /** Whole seconds that our clock is ahead of the machine's. */
  const ahead = () => Math.round((clock.millis() - systemClock.millis()) / 1000);

  function payloadOf(row: store.RecordRow, id: string | null): RecordPayload {
    const kept = JSON.parse(row.payload) as RecordPayload;
    return {
      ...moved(kept, -ahead()),
      ...(id !== null && SECRET.has(model) && { jti: id }),
      ...(id !== null &&
        typeof kept.returnTo === 'string' && { returnTo: `${kept.returnTo}${id}` }),
      ...(row.consumed_at && {
        consumed: Math.floor(row.consumed_at.epochMilliseconds / 1000) - ahead(),
      }),
    };
  }

  return {
    async upsert(id, payload, seconds) {
      const now = clock.now();
      const row = {
        model,
        id: keyOf(id),
        payload: JSON.stringify(
          moved(SECRET.has(model) ? withoutSecrets(payload, id) : payload, ahead()),
        ),
        grantId: textOrNull(payload.grantId),
        uid: model === 'Session' ? textOrNull(payload.uid) : null,
        expiresAt: endOf(model, now, seconds),
      };
      await database.write((handle) => store.put(handle, row));
    },
    async find(id) {
      // PostgreSQL text has no NUL, so no record has such an id.
      if (id.includes('\0')) return undefined;
      const row = await database.read((handle) => store.find(handle, model, keyOf(id)));
      if (row && model === CLIENT) await noteUse(database, clock, id, row);
      return row && payloadOf(row, id);
    },
    async findByUid(uid) {
      const row = await database.read((handle) => store.findByUid(handle, model, uid));
      return row && payloadOf(row, null);
    },
    findByUserCode: async () => undefined,
    consume: (id) =>
      database.write((handle) => store.consume(handle, model, keyOf(id), clock.now())),
    destroy: (id) =>
      database.write((handle) =>
        model === 'Grant' ? endGrant(handle, id) : store.remove(handle, model, keyOf(id)),
      ),
    // The library calls it for every kind in turn; the first call revokes all.
    revokeByGrantId: (grantId) => database.write((handle) => endGrant(handle, grantId)),
  };
}

/** A client in use stays. */
async function noteUse(
  database: Database,
  clock: Clock,
  id: string,
  row: store.RecordRow,
): Promise<void> {
  const end = clock.now().add({ hours: KEEP_UNUSED_CLIENT_HOURS });
  const isNoted =
    row.expires_at &&
    Temporal.Instant.compare(row.expires_at, end.subtract({ hours: NOTE_USE_EVERY_HOURS })) > 0;
  if (!isNoted) await database.write((handle) => store.prolong(handle, CLIENT, id, end));
}

/**
 * Removes the id from the payload, and the session's id from its interactions; reading puts the id
 * back.
 */
function withoutSecrets(payload: RecordPayload, id: string): RecordPayload {
  const { jti: _, returnTo, session, ...rest } = payload;
  return {
    ...rest,
    ...(typeof returnTo === 'string' && { returnTo: returnTo.slice(0, -id.length) }),
    ...(typeof session === 'object' &&
      session !== null && { session: { ...session, cookie: undefined } }),
  };
}

function moved(payload: RecordPayload, seconds: number): RecordPayload {
  if (seconds === 0) return payload;
  const times = TIMES.filter((name) => typeof payload[name] === 'number').map((name) => [
    name,
    (payload[name] as number) + seconds,
  ]);
  return { ...payload, ...Object.fromEntries(times) };
}

function endOf(model: string, now: Instant, seconds: number | undefined): Instant | null {
  if (model === CLIENT) return now.add({ hours: KEEP_UNUSED_CLIENT_HOURS });
  return seconds === undefined ? null : now.add({ seconds: Math.ceil(seconds) });
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
