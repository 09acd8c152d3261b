import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { anOrder } from './support/app.ts';
import { runHere } from './support/command.ts';
import { bodyOf } from './support/panel.ts';
import { openMailingInstance, openTeam, type Team } from './support/people.ts';

// An organisation with sample orders: who has one, what is open in it, and its end.

const { instance, folder } = await openMailingInstance(WHOLE_FILE);
let team: Team;

before(async () => {
  team = await openTeam(instance, folder);
  await instance.record([anOrder({ id: 'real' })], team.organizacion);
});

test('two clicks make one sample, whose orders are marked in every part that a list shows', async () => {
  const [one, other] = await Promise.all([make(), make()]);
  assert.equal(one, other);
  const { data } = await read(one, 'orders.list');
  assert.equal(data.length, 12);
  for (const { id, account_id, buyer_name, items } of data)
    for (const text of [id, account_id, buyer_name, items[0].sku, items[0].title])
      assert.match(text, /ejemplo/i);
  const { organization, organizations } = await read(one, 'frame.read');
  assert.deepEqual([organization.is_sample, organization.plan], [true, 'Datos de ejemplo']);
  assert.deepEqual(
    organizations.map(({ role_name }: { role_name: string }) => role_name),
    ['Propietario', 'Propietario'],
  );
  // Those of today are few after midnight.
  const today = instance.clock.now().toZonedDateTimeISO('America/Mexico_City').toPlainDate();
  const days = `from=${today.subtract({ days: 7 })}&to=${today}&group_by=day`;
  assert.ok((await read(one, `sales.summary?${days}`)).totals[0].orders > 0, 'they are sales');
  assert.ok((await read(one, 'warehouse.count')).without_guide > 0, 'some wait for a guide');
  assert.equal((await read(team.organizacion, 'orders.list')).data.length, 1);
});

test('a sample connects no account and asks for no plan', async () => {
  const sample = await make();
  const { navigation, operations } = await read(sample, 'frame.read');
  assert.ok(!navigation.some(({ place }: { place: string }) => place === 'connections'));
  for (const name of ['connections.connect', 'samples.make', 'plan.request'])
    assert.ok(!operations.includes(name), name);
  for (const [name, body] of [
    ['connections.connect', { service: 'woocommerce', fields: {} }],
    ['plan.request', { plan: 'basico' }],
  ] as const)
    assert.equal((await write(sample, name, body)).status, 404, name);
});

test('one click removes the sample, and never an organisation that is none', async () => {
  const sample = await make();
  const real = await write(team.organizacion, 'samples.remove');
  assert.deepEqual([real.status, bodyOf(real)], [200, { is_removed: false }]);
  assert.equal((await read(team.organizacion, 'orders.list')).data.length, 1);

  // It can be removed after its trial, too.
  await instance.app.database.write((handle) =>
    handle.sql('update organizations set trial_ends_at = $1 where id = $2', [
      instance.clock.now().toString(),
      sample,
    ]),
  );
  const removed = await write(sample, 'samples.remove');
  assert.deepEqual(bodyOf(removed), { is_removed: true });
  assert.equal((await write(sample, 'samples.remove')).status, 404);
  const left = await instance.app.database.write((handle) =>
    handle.sql('select id from organizations where id = $1', [sample]),
  );
  assert.deepEqual(left, []);
  assert.equal((await read(team.organizacion, 'frame.read')).organizations.length, 1);
  assert.notEqual(await make(), sample);
});

test('a person keeps the account without a sample, also as a member of no other organisation', async () => {
  const { owner, organizacion } = await openTeam(instance, folder);
  const sample = await make({ owner, organizacion });
  await sql('delete from members where organization_id = $1', [organizacion]);
  const removed = await owner.visitor.ask(`/panel/api/${sample}/samples.remove`, {});
  assert.deepEqual(bodyOf(removed), { is_removed: true });
  assert.equal((await sql('select from people where id = $1', [owner.personId])).length, 1);
});

test('the samples of people who are erased with their organisation are erased, too', async () => {
  const { owner, organizacion } = await openTeam(instance, folder);
  const sample = await make({ owner, organizacion });
  const [row] = await sql('select name from organizations where id = $1', [organizacion]);
  const { name } = row as { name: string };
  const erase = ['erase-organization', '--organization', organizacion, '--confirm', name];
  assert.equal((await runHere(erase, instance.env)).code, 0);
  assert.deepEqual(await sql('select from people where id = $1', [owner.personId]), []);
  assert.deepEqual(await sql('select from organizations where id = $1', [sample]), []);
});

/** @returns the id of the sample of the owner */
async function make({ owner, organizacion }: Omit<Team, 'join'> = team): Promise<string> {
  const { status, text } = await owner.visitor.ask(`/panel/api/${organizacion}/samples.make`, {});
  assert.equal(status, 200, text);
  return JSON.parse(text).address.split('/').at(-1);
}

async function read(organizacion: string, name: string) {
  const { status, text } = await team.owner.visitor.get(`/panel/api/${organizacion}/${name}`);
  assert.equal(status, 200, `${name}: ${text}`);
  return JSON.parse(text);
}

function write(organizacion: string, name: string, body: object = {}) {
  return team.owner.visitor.ask(`/panel/api/${organizacion}/${name}`, body);
}

function sql(text: string, values: unknown[]) {
  return instance.app.database.write((handle) => handle.sql(text, values));
}
