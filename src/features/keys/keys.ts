import { newApiKey } from '../../platform/api-key.ts';
import type { Handle, ReadScope, WriteHandle, WriteScope } from '../../platform/db/database.ts';
import { notice } from '../../platform/db/notices.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { newId, sha256 } from '../../platform/ids.ts';
import type { Instant } from '../../platform/time.ts';
import { effectiveTerms, findOrganization, lockOrganization } from '../organizations/index.ts';
import type { PlanTerms } from '../plans/index.ts';
import { noteRemoval } from '../removals/index.ts';
import { noteAct, type PersonOrOperator } from '../trail/index.ts';
import { fromRow, type Key } from './key.ts';
import { DEFAULT_SCOPES, isKeyScope, type KeyScope, scopesOn } from './scopes.ts';
import * as store from './store.ts';

/** `replaced`: it works until it expires, beside its successor. */
type KeyState = 'active' | 'replaced' | 'expired' | 'revoked';

export interface KeyTerms {
  readonly name: string;
  readonly scopes?: readonly string[] | undefined;
  /** Days until it expires; absent = never. */
  readonly days?: number | undefined;
  /** The id of the submitted form: each form makes one key. */
  readonly formId?: string | undefined;
}

export interface MadeKey {
  readonly id: string;
  /** Its text, which is stored nowhere. */
  readonly key: string;
  readonly scopes: readonly string[];
}

/** How long a regenerated key's predecessor continues to work, in hours. */
export const OVERLAPS: readonly number[] = [0, 1, 24, 168];
export const DEFAULT_OVERLAP = 24;
/** How long a key may be valid, in days. */
export const LIFETIMES: readonly number[] = [30, 90, 180, 365];

/**
 * Makes a key. Its text is in the answer and nowhere else.
 * @throws Failure api_key_limit_reached, invalid_request
 */
export async function createKey(
  scope: WriteScope,
  by: PersonOrOperator,
  terms: KeyTerms,
): Promise<MadeKey> {
  const name = terms.name.trim();
  if (name === '' || name.length > 60)
    throw invalid('name', 'El nombre de la clave debe tener de 1 a 60 caracteres.');
  if (terms.days !== undefined && !LIFETIMES.includes(terms.days))
    throw invalid('days', `La vigencia debe ser de ${LIFETIMES.join(', ')} días, o ninguna.`);
  // A change of the plan comes before this or after it.
  await lockOrganization(scope);
  const plan = await planTerms(scope);
  const scopes = readScopes(plan, terms.scopes);
  const now = scope.clock.now();
  const active = (await store.all(scope)).filter((row) => stateOf(fromRow(row), now) === 'active');
  if (active.length >= (plan?.keys ?? 0)) throw fail('api_key_limit_reached');
  const made = await insertKey(scope, by, {
    name,
    scopes,
    expiresAt: terms.days === undefined ? null : now.add({ hours: 24 * terms.days }),
    formId: terms.formId,
  });
  await noteAct(scope, by, 'api_key_made', { subject: made.id, label: name });
  return made;
}

/**
 * Makes a new key with the same name and scopes; the former one continues to work for the overlap.
 * @throws Failure not_found when there is no such active key
 */
export async function regenerateKey(
  scope: WriteScope,
  by: PersonOrOperator,
  id: string,
  overlapHours: number = DEFAULT_OVERLAP,
  formId?: string,
): Promise<MadeKey> {
  if (!OVERLAPS.includes(overlapHours))
    throw invalid('overlap', `El traslape debe ser de ${OVERLAPS.join(', ')} horas.`);
  await lockOrganization(scope);
  const now = scope.clock.now();
  const former = (await store.all(scope)).find((row) => row.id === id);
  if (!former || stateOf(fromRow(former), now) !== 'active')
    throw fail('not_found', { message: 'No existe una clave activa con ese identificador.' });
  const lifetime = former.expires_at && former.created_at.until(former.expires_at);
  const fresh = await insertKey(scope, by, {
    name: former.name,
    scopes: former.scopes,
    expiresAt: lifetime && now.add(lifetime),
    formId,
  });
  const overlapEnds = now.add({ hours: overlapHours });
  const ends =
    former.expires_at && Temporal.Instant.compare(former.expires_at, overlapEnds) < 0
      ? former.expires_at
      : overlapEnds;
  await store.replace(scope, id, fresh.id, ends);
  await noteAct(scope, by, 'api_key_regenerated', { subject: fresh.id, label: former.name });
  await scope.rows(notice('access', scope.organizationId));
  return fresh;
}

/**
 * The key that a form already made; null = none. The caller holds the lock of the organisation's
 * members or keys.
 */
export async function keyMadeWith(scope: ReadScope, formId: string): Promise<Key | null> {
  const row = await store.byForm(scope, formId);
  return row ? fromRow(row) : null;
}

/**
 * Revokes a key of any organisation; every process refuses it within a second. @returns false when
 * unknown.
 */
export async function revokeKey(
  handle: WriteHandle,
  by: PersonOrOperator,
  id: string,
): Promise<boolean> {
  const row = await store.byId(handle, id);
  if (!row) return false;
  const scope = handle.within(row.organization_id);
  if (!(await store.revoke(scope, id, scope.clock.now()))) return true;
  await noteAct(scope, by, 'api_key_revoked', { subject: id, label: row.name });
  await noteRemoval(scope, 'api_key', { id });
  await scope.rows(notice('access', scope.organizationId));
  return true;
}

/** Active and ended keys; those revoked more than 90 days ago are left out. */
export async function listKeys(scope: ReadScope): Promise<Key[]> {
  const oldest = scope.clock.now().subtract({ hours: 24 * 90 });
  const rows = await store.all(scope);
  return rows
    .filter((row) => !row.revoked_at || Temporal.Instant.compare(row.revoked_at, oldest) >= 0)
    .map(fromRow);
}

/** Of these only `active` ones count for the plan's limit. */
export function stateOf(key: Key, now: Instant): KeyState {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && Temporal.Instant.compare(key.expiresAt, now) <= 0) return 'expired';
  return key.isReplaced ? 'replaced' : 'active';
}

export async function findKey(handle: Handle, hash: string): Promise<Key | null> {
  const row = await store.byHash(handle, hash);
  return row ? fromRow(row) : null;
}

async function insertKey(
  scope: WriteScope,
  by: PersonOrOperator,
  key: {
    name: string;
    scopes: readonly string[];
    expiresAt: Instant | null;
    formId: string | undefined;
  },
): Promise<MadeKey> {
  const text = newApiKey();
  const id = newId();
  await store.insert(scope, {
    id,
    name: key.name,
    hash: sha256(text),
    last_four: text.slice(-4),
    scopes: [...key.scopes],
    created_at: scope.clock.now(),
    expires_at: key.expiresAt,
    revoked_at: null,
    last_used_at: null,
    replaced_by: null,
    made_by: by === 'operator' ? 'operator' : 'person',
    made_by_person: by === 'operator' ? null : by.personId,
    form_id: key.formId ?? null,
  });
  return { id, key: text, scopes: key.scopes };
}

/** null = there is no such organisation. */
async function planTerms(scope: WriteScope): Promise<PlanTerms | null> {
  const organization = await findOrganization(scope.handle, scope.organizationId);
  return organization && effectiveTerms(organization);
}

function readScopes(
  plan: PlanTerms | null,
  given: readonly string[] | undefined,
): readonly KeyScope[] {
  if (given === undefined) return DEFAULT_SCOPES;
  const offered = plan ? scopesOn(plan) : [];
  const scopes = given.filter(isKeyScope).filter((one) => offered.includes(one));
  if (scopes.length < given.length || given.length === 0)
    throw invalid('scopes', `Los permisos posibles son: ${offered.join(', ')}.`);
  return [...new Set(scopes)];
}
