import { authorize, membersOf, mustBeAbleTo } from '../../features/accounts/index.ts';
import {
  createKey,
  type Key,
  keyMadeWith,
  listKeys,
  regenerateKey,
  revokeKey,
  stateOf,
} from '../../features/keys/index.ts';
import { effectiveTerms } from '../../features/organizations/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import { noteIn } from '../page.ts';
import { toConfirm } from './confirm.ts';
import {
  KEYS_PATH,
  keysReply,
  madeBeforeReply,
  madeReply,
  renewalReply,
  revocationReply,
} from './keys-pages.ts';
import {
  addressIn,
  inOrganization,
  namesOf,
  noteEventIn,
  refuseSuspended,
  type Standing,
} from './standing.ts';
import { orAgain, type Reply, typed, type Visit } from './visit.ts';

const NOTES: Readonly<Record<string, string>> = {
  revocada: 'La clave quedó revocada. Ya nadie puede usarla.',
};

export async function keysPage(visit: Visit): Promise<Reply> {
  return atKeys(visit, (standing) => show(visit, standing, { said: noteIn(NOTES, visit.query) }));
}

/** Shows the new key, this once. */
export async function makeKey(visit: Visit): Promise<Reply> {
  return change(visit, async (standing) => {
    refuseSuspended(standing);
    const detour = confirmedFor(visit, standing);
    if (detour) return detour;
    const scopes = visit.form.getAll('permiso');
    if (scopes.length === 0) throw invalid('permiso', 'Marca al menos un permiso.');
    const days = typed(visit, 'vigencia');
    const terms = {
      name: typed(visit, 'nombre'),
      scopes,
      days: days === '' ? undefined : Number(days),
    };
    const most = effectiveTerms(standing.organization).keys;
    return makeOnce(visit, standing, 'api_key_made', (scope, by, formId) =>
      createKey(scope, by, { ...terms, formId }, most),
    );
  });
}

export async function renewalPage(visit: Visit): Promise<Reply> {
  return change(visit, async (standing) => {
    refuseSuspended(standing);
    const detour = confirmedFor(visit, standing);
    if (detour) return detour;
    return renewalReply(standing, await askedFor(visit, standing));
  });
}

/** Shows the key that takes the former one's place, this once. */
export async function renewKey(visit: Visit): Promise<Reply> {
  return change(visit, async (standing) => {
    refuseSuspended(standing);
    const detour = confirmedFor(visit, standing);
    if (detour) return detour;
    const [id, hours] = [typed(visit, 'clave'), Number(typed(visit, 'traslape') || Number.NaN)];
    return makeOnce(visit, standing, 'api_key_regenerated', (scope, by, formId) =>
      regenerateKey(scope, by, id, hours, formId),
    );
  });
}

/** Asks once more, and says what stops. */
export async function revocationPage(visit: Visit): Promise<Reply> {
  return atKeys(visit, async (standing) =>
    revocationReply(standing, await askedFor(visit, standing)),
  );
}

export async function endKey(visit: Visit): Promise<Reply> {
  return change(visit, async (standing) => {
    const { id } = await write(visit, standing, async (scope, by) => {
      const key = await liveKey(scope, typed(visit, 'clave'));
      await revokeKey(scope.handle, by, key.id);
      return key;
    });
    noteEventIn(visit, standing, 'api_key_revoked', { subject: id });
    return { to: addressIn(standing, KEYS_PATH, { aviso: 'revocada' }) };
  });
}

/** For whoever manages keys. */
function atKeys(visit: Visit, work: (standing: Standing) => Promise<Reply>): Promise<Reply> {
  return inOrganization(visit, KEYS_PATH, (standing) => {
    mustBeAbleTo(standing.role, 'manage_keys');
    return work(standing);
  });
}

/** Answers as the work says, or shows the keys with what is wrong. */
function change(visit: Visit, work: (standing: Standing) => Promise<Reply>): Promise<Reply> {
  return atKeys(visit, (standing) =>
    orAgain(
      () => work(standing),
      ({ message }) => show(visit, standing, { wrong: message }),
    ),
  );
}

/**
 * The way to the page that asks for the second factor, where this session has not used it; null =
 * nothing is missing.
 * @throws Failure second_factor_required where the person has none
 */
function confirmedFor({ people, query }: Visit, standing: Standing): Reply | null {
  if (people.factorLack(standing.person) === 'not_used') return toConfirm(backTo(standing, query));
  people.requireSecondFactor(standing.person);
  return null;
}

/** The page that was asked for by its address, else the list. */
function backTo(standing: Standing, query: URLSearchParams): string {
  const key = query.get('clave');
  return key === null
    ? addressIn(standing, KEYS_PATH)
    : addressIn(standing, `${KEYS_PATH}/regenerar`, { clave: key });
}

/** A form that comes again, as when the page with the key is loaded again, makes no second one. */
async function makeOnce(
  visit: Visit,
  standing: Standing,
  event: 'api_key_made' | 'api_key_regenerated',
  make: (
    scope: WriteScope,
    by: PersonDoing,
    formId: string,
  ) => Promise<{ id: string; key: string }>,
): Promise<Reply> {
  const formId = typed(visit, 'formulario');
  if (!isId(formId))
    throw invalid('formulario', 'El formulario llegó incompleto. Llénalo de nuevo en esta página.');
  const outcome = await write(visit, standing, async (scope, by) => {
    const former = await keyMadeWith(scope, formId);
    return former ? { former } : { made: await make(scope, by, formId) };
  });
  if (outcome.former) return madeBeforeReply(standing, outcome.former);
  noteEventIn(visit, standing, event, { subject: outcome.made.id });
  return madeReply(standing, { key: outcome.made.key, url: visit.publicUrl() });
}

function write<T>(
  { database, address }: Visit,
  { organization, person }: Standing,
  work: (scope: WriteScope, by: PersonDoing) => Promise<T>,
): Promise<T> {
  return database.within(organization.id).write(async (scope) => {
    await authorize(scope, person.id, 'manage_keys');
    return work(scope, { personId: person.id, address });
  });
}

async function show(
  visit: Visit,
  standing: Standing,
  about: { said?: string | null; wrong?: string },
): Promise<Reply> {
  const [keys, members] = await visit.database
    .within(standing.organization.id)
    .read(async (scope) => [await listKeys(scope), await membersOf(scope)] as const);
  return keysReply(standing, {
    keys,
    names: namesOf(members),
    now: visit.clock.now(),
    lack: visit.people.factorLack(standing.person),
    typedName: typed(visit, 'nombre'),
    ...about,
  });
}

function askedFor({ database, query }: Visit, { organization }: Standing): Promise<Key> {
  return database.within(organization.id).read((scope) => liveKey(scope, query.get('clave') ?? ''));
}

/** A key that still works. @throws Failure not_found */
async function liveKey(scope: ReadScope, id: string): Promise<Key> {
  const key = (await listKeys(scope)).find((one) => one.id === id);
  if (!key || !['active', 'replaced'].includes(stateOf(key, scope.clock.now())))
    throw fail('not_found', { message: 'Esa clave no existe o ya no sirve.' });
  return key;
}
