import {
  createKey,
  type Key,
  keyMadeWith,
  listKeys,
  type MadeKey,
  regenerateKey,
  revokeKey,
  stateOf,
} from '../../features/keys/index.ts';
import { membersOf, mustBeAbleTo } from '../../features/people/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import { type Fault, noteIn } from '../page.ts';
import { confirmLack } from './confirm.ts';
import {
  KEYS_PATH,
  type KeyTyped,
  keysReply,
  madeBeforeReply,
  madeReply,
  NOTHING_TYPED,
  renewalReply,
  revocationReply,
} from './keys-pages.ts';
import {
  addressIn,
  inOrganization,
  namesOf,
  noteEventIn,
  type PageMembership,
  refuseSuspended,
  writeAs,
} from './membership.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from './page-request.ts';

const NOTES: Readonly<Record<string, string>> = {
  revocada: 'La clave quedó revocada. Ya nadie puede usarla.',
};

export async function keysPage(request: PageRequest): Promise<Reply> {
  return atKeys(request, (membership) =>
    show(request, membership, { said: noteIn(NOTES, request.query) }),
  );
}

/** Shows the new key, this once. */
export async function makeKey(request: PageRequest): Promise<Reply> {
  return change(request, async (membership) => {
    refuseSuspended(membership);
    const detour = confirmLack(request, membership.person, backTo(membership, request.query));
    if (detour) return detour;
    const scopes = request.form.getAll('permiso');
    if (scopes.length === 0) throw invalid('scopes', 'Marca al menos un permiso.');
    const days = typed(request, 'vigencia');
    const terms = {
      name: typed(request, 'nombre'),
      scopes,
      days: days === '' ? undefined : Number(days),
    };
    return makeOnce(request, membership, 'api_key_made', (scope, by, formId) =>
      createKey(scope, by, { ...terms, formId }),
    );
  });
}

export async function renewalPage(request: PageRequest): Promise<Reply> {
  return change(request, async (membership) => {
    refuseSuspended(membership);
    const detour = confirmLack(request, membership.person, backTo(membership, request.query));
    if (detour) return detour;
    return renewalReply(membership, await askedFor(request, membership));
  });
}

/** Shows the key that takes the former one's place, this once. */
export async function renewKey(request: PageRequest): Promise<Reply> {
  return change(request, async (membership) => {
    refuseSuspended(membership);
    const detour = confirmLack(request, membership.person, backTo(membership, request.query));
    if (detour) return detour;
    const [id, hours] = [typed(request, 'clave'), Number(typed(request, 'traslape') || Number.NaN)];
    return makeOnce(request, membership, 'api_key_regenerated', (scope, by, formId) =>
      regenerateKey(scope, by, id, hours, formId),
    );
  });
}

/** Asks once more, and says what stops. */
export async function revocationPage(request: PageRequest): Promise<Reply> {
  return atKeys(request, async (membership) =>
    revocationReply(membership, await askedFor(request, membership)),
  );
}

export async function endKey(request: PageRequest): Promise<Reply> {
  return change(request, async (membership) => {
    const { id } = await write(request, membership, async (scope, by) => {
      const key = await liveKey(scope, typed(request, 'clave'));
      await revokeKey(scope.handle, by, key.id);
      return key;
    });
    noteEventIn(request, membership, 'api_key_revoked', { subject: id });
    return { to: addressIn(membership, KEYS_PATH, { aviso: 'revocada' }) };
  });
}

/** For members with the right to manage keys. */
function atKeys(
  request: PageRequest,
  work: (membership: PageMembership) => Promise<Reply>,
): Promise<Reply> {
  return inOrganization(request, KEYS_PATH, (membership) => {
    mustBeAbleTo(membership.role, 'manage_keys');
    return work(membership);
  });
}

/** Answers as the work says, or shows the keys with what is wrong. */
function change(
  request: PageRequest,
  work: (membership: PageMembership) => Promise<Reply>,
): Promise<Reply> {
  return atKeys(request, (membership) =>
    orShowAgain(
      () => work(membership),
      ({ message, param }) => show(request, membership, { wrong: { message, param } }),
    ),
  );
}

/** The page that was asked for by its address, else the list. */
function backTo(membership: PageMembership, query: URLSearchParams): string {
  const key = query.get('clave');
  return key === null
    ? addressIn(membership, KEYS_PATH)
    : addressIn(membership, `${KEYS_PATH}/regenerar`, { clave: key });
}

/** A form that comes again, as when the page with the key is loaded again, makes no second one. */
async function makeOnce(
  request: PageRequest,
  membership: PageMembership,
  event: 'api_key_made' | 'api_key_regenerated',
  make: (scope: WriteScope, by: PersonDoing, formId: string) => Promise<MadeKey>,
): Promise<Reply> {
  const formId = typed(request, 'formulario');
  if (!isId(formId))
    throw invalid('formulario', 'El formulario llegó incompleto. Llénalo de nuevo en esta página.');
  const outcome = await write(request, membership, async (scope, by) => {
    const former = await keyMadeWith(scope, formId);
    return former ? { former } : { made: await make(scope, by, formId) };
  });
  if (outcome.former) return madeBeforeReply(membership, outcome.former);
  noteEventIn(request, membership, event, { subject: outcome.made.id });
  return madeReply(membership, outcome.made, request.publicUrl());
}

function write<T>(
  request: PageRequest,
  membership: PageMembership,
  work: (scope: WriteScope, by: PersonDoing) => Promise<T>,
): Promise<T> {
  return writeAs(request, membership, 'manage_keys', work);
}

async function show(
  request: PageRequest,
  membership: PageMembership,
  about: { said?: string | null; wrong?: Fault },
): Promise<Reply> {
  const [keys, members] = await request.database
    .within(membership.organization.id)
    .read(async (scope) => [await listKeys(scope), await membersOf(scope)] as const);
  return keysReply(membership, {
    keys,
    names: namesOf(members),
    now: request.clock.now(),
    lack: request.people.factorLack(membership.person),
    typed: typedIn(request),
    ...about,
  });
}

function typedIn(request: PageRequest): KeyTyped {
  const { form } = request;
  // The other forms of the page have no lifetime.
  if (!form.has('vigencia')) return NOTHING_TYPED;
  const [name, days] = [typed(request, 'nombre'), typed(request, 'vigencia')];
  return { name, days, scopes: form.getAll('permiso') };
}

function askedFor(
  { database, query }: PageRequest,
  { organization }: PageMembership,
): Promise<Key> {
  return database.within(organization.id).read((scope) => liveKey(scope, query.get('clave') ?? ''));
}

/** A key that still works. @throws Failure not_found */
async function liveKey(scope: ReadScope, id: string): Promise<Key> {
  const key = (await listKeys(scope)).find((one) => one.id === id);
  if (!key || !['active', 'replaced'].includes(stateOf(key, scope.clock.now())))
    throw fail('not_found', { message: 'Esa clave no existe o ya no sirve.' });
  return key;
}
