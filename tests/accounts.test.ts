import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { turnedClock } from './support/clock.ts';
import { openHouse } from './support/house.ts';
import { codeOf, mailsTo, openVisitor, tokenIn, type Visitor } from './support/visitor.ts';

// People who sign in, through the pages and their mails. better-auth's own time is the machine's: so the clock starts there.

const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-accounts-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const folder = join(dataDir, 'mail');
const clock = turnedClock(Temporal.Now.instant().toString());
const house = await openHouse({ after }, { clock, env: { DATA_DIR: dataDir, TRUSTED_PROXIES: '127.0.0.1' } });
const PASSWORD = 'cuatro tazas azules';
let count = 0;

test('who registers confirms the address and is the owner of an organisation on Demo', async () => {
  const { visitor, email } = newcomer();

  const asked = await register(visitor, email);
  assert.match(asked.text, /Revisa tu correo/);
  const early = await signIn(visitor, email);
  assert.deepEqual([early.status, /Falta confirmar tu correo/.test(early.text)], [401, true]);
  const token = tokenIn(await mailsTo(folder, email, 1), '/verificar-correo');
  const page = await visitor.get(`/verificar-correo?token=${token}`);
  assert.match(page.text, /Confirmar mi correo/);
  assert.equal((await visitor.post('/verificar-correo', { token })).to, '/entrar?aviso=confirmado');

  assert.equal((await signIn(visitor, email)).to, '/cuenta');
  const account = await visitor.get('/cuenta');
  assert.match(account.text, /Papelería Sol: Propietaria o propietario/);
  const [row] = await rows(
    `select plan, trial_ends_at - organizations.created_at = '14 days' as fortnight from organizations
       join members on organization_id = organizations.id join people on people.id = person_id where email = $1`,
    [email],
  );
  assert.deepEqual(row, { plan: 'demo', fortnight: true });
});

interface Known {
  readonly visitor: Visitor;
  readonly email: string;
}

function newcomer(): Known {
  return { visitor: openVisitor(house.url), email: `persona${++count}@tienda.example` };
}

function register(visitor: Visitor, email: string) {
  return visitor.post('/registro', {
    nombre: 'Ana Robles',
    organizacion: 'Papelería Sol',
    correo: email,
    contrasena: PASSWORD,
  });
}

function signIn(visitor: Visitor, email: string, contrasena = PASSWORD, volver = '') {
  return visitor.post('/entrar', { correo: email, contrasena, volver });
}

function rows(text: string, values: unknown[] = []): Promise<object[]> {
  return house.house.database.write((handle) => handle.sql(text, values));
}
