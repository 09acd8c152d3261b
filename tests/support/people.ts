import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMember, type Role } from '../../src/features/people/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type AppOptions, openApp, type TestApp } from './app.ts';
import { turnedClock } from './clock.ts';
import { codeOf, mailsTo, openVisitor, type PageAnswer, tokenIn, type Visitor } from './visitor.ts';

/** The password and the name of all people in tests. */
export const PASSWORD = 'cuatro tazas azules';
export const ORGANIZATION_NAME = 'Papelería Sol';

/** A signed-in person. */
export interface Known {
  readonly visitor: Visitor;
  readonly email: string;
  readonly personId: string;
  /** Where they sit. */
  readonly address: string;
}

/** An organisation on Demo and its first owner. */
export interface Team {
  readonly owner: Known;
  readonly organizacion: string;
  /** Another person, who becomes a member. */
  join(role: Role): Promise<Known>;
}

/** An instance whose mails are files. Its clock starts with better-auth's, which is the machine's. */
export async function openMailingInstance(
  end: Parameters<typeof openApp>[0],
  clock: TestApp['clock'] = turnedClock(systemClock.now().toString()),
  settings: Readonly<Record<string, string>> = {},
  options: Pick<AppOptions, 'fullPasswordCost' | 'database' | 'log'> = {},
): Promise<{ instance: TestApp; dataDir: string; folder: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-people-'));
  const instance = await openApp(end, {
    clock,
    env: { DATA_DIR: dataDir, TRUSTED_PROXIES: '127.0.0.1', ...settings },
    ...options,
  });
  // After the instance: a mail that still leaves would make it fail, and what follows a failed one is
  // never called.
  end.after(() => rm(dataDir, { recursive: true, force: true }));
  return { instance, dataDir, folder: join(dataDir, 'mail') };
}

let count = 0;

export function newcomer(at: TestApp, origin = at.url): Pick<Known, 'visitor' | 'email'> {
  return { visitor: openVisitor(at.url, { origin }), email: `persona${++count}@tienda.example` };
}

/** Registers and confirms the address by the mail in the folder, which opens a session. */
export async function known(at: TestApp, folder: string, origin = at.url): Promise<Known> {
  const { visitor, email } = newcomer(at, origin);
  await admitted(() => register(visitor, email));
  const entered = await admitted(() => confirm(visitor, email, folder));
  assert.equal(entered.to, '/panel', entered.text);
  const [row] = await at.app.database.write((handle) =>
    handle.sql('select id from people where email = $1', [email]),
  );
  return { visitor, email, personId: (row as { id: string }).id, address: visitor.address };
}

export async function openTeam(at: TestApp, folder: string): Promise<Team> {
  const owner = await known(at, folder);
  const [row] = await at.app.database.write((handle) =>
    handle.sql('select organization_id from members where person_id = $1', [owner.personId]),
  );
  const organizacion = (row as { organization_id: string }).organization_id;
  const join = (role: Role) => joined(at, folder, organizacion, { by: owner, role });
  return { owner, organizacion, join };
}

/** A person with an organisation of their own, also a member of this one. */
export async function joined(
  at: TestApp,
  folder: string,
  organizacion: string,
  { by, role }: { by: Known; role: Role },
): Promise<Known> {
  const person = await known(at, folder);
  await at.app.database
    .within(organizacion)
    .write((scope) => addMember(scope, by, { personId: person.personId, role }));
  return person;
}

export function register(visitor: Visitor, email: string): Promise<PageAnswer> {
  return visitor.post('/registro', {
    nombre: 'Ana Robles',
    organizacion: ORGANIZATION_NAME,
    correo: email,
    contrasena: PASSWORD,
  });
}

export async function confirm(
  visitor: Visitor,
  email: string,
  folder: string,
): Promise<PageAnswer> {
  const token = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');
  return visitor.post('/verificar-correo', { token, contrasena: PASSWORD });
}

/** Where a busy machine has no connection free in time, a person tries again. */
async function admitted(send: () => Promise<PageAnswer>): Promise<PageAnswer> {
  let answer = await send();
  for (let more = 5; more > 0 && answer.status >= 500; more--) answer = await send();
  assert.ok(answer.status < 500, answer.text);
  return answer;
}

export function signIn(visitor: Visitor, email: string, contrasena = PASSWORD, volver = '') {
  return visitor.post('/entrar', { correo: email, contrasena, volver });
}

export async function withSecondFactor(
  visitor: Visitor,
): Promise<{ key: string; backupCodes: string[] }> {
  const page = await visitor.post('/cuenta/segundo-paso', { contrasena: PASSWORD });
  const key = /id="clave">([A-Z2-7 ]+)</.exec(page.text)?.[1] ?? '';
  const backupCodes = [...page.text.matchAll(/<li>([a-z0-9-]{19})<\/li>/g)].map(
    ([, code = '']) => code,
  );
  const done = await visitor.post('/cuenta/segundo-paso/confirmar', { codigo: codeOf(key) });
  assert.equal(done.to, '/cuenta?aviso=segundo-paso');
  return { key, backupCodes };
}
