import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { raiseAlert, resolveAlert, resolveAlertsOf } from '../src/features/alerts/index.ts';
import { membersOf, removeMember } from '../src/features/people/index.ts';
import type { WriteScope } from '../src/platform/db/database.ts';
import { formatMillis } from '../src/platform/time.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import type { TestApp } from './support/app.ts';
import { openPanel } from './support/panel.ts';
import { type Known, openMailingInstance, openTeam } from './support/people.ts';

// Alerts that ended are found later: from when to when, and by whom.

let instance: TestApp;
let organizacion: string;
let owner: Known;
let admin: Known;
let member: Known;
let worker: Known;
const { ask, read, write } = openPanel(() => organizacion);

before(async () => {
  const opened = await openMailingInstance(WHOLE_FILE);
  instance = opened.instance;
  const team = await openTeam(instance, opened.folder);
  ({ owner, organizacion } = team);
  admin = await team.join('admin');
  member = await team.join('member');
  worker = await team.join('warehouse');
});

test('a settled alert is listed with its times and its person, one that ended by itself without one', async () => {
  await raise('trouble', 'a');
  await raise('guide_unknown', 'b');
  const begun = at();
  const settled = formatMillis(instance.clock.now().round('millisecond'));
  await write(admin, 'alerts.settle', { kind: 'trouble', subject: 'a' });
  instance.clock.advance({ minutes: 1 });
  await scope((one) => resolveAlert(one, 'guide_unknown', 'b'));

  const { data, has_more, days } = await read(owner, 'alerts.resolved', {});
  const [last, first] = data;
  assert.deepEqual([data.length, has_more, days], [2, false, 30]);
  assert.deepEqual(
    [last.kind, last.settled_by, last.resolved_at],
    ['guide_unknown', null, at()],
    'the last one first',
  );
  assert.deepEqual(first, {
    ...{ kind: 'trouble', subject: 'a', message: 'Problema a.', account: null },
    ...{ first_at: begun, resolved_at: settled, settled_by: (await personOf(admin)).name },
  });
  const ofWorker = (await read(worker, 'alerts.resolved', {})).data;
  assert.deepEqual(
    ofWorker.map(({ kind }: { kind: string }) => kind),
    ['guide_unknown'],
    'those of the warehouse alone',
  );
});

test('only what a person settled is opened again, and by a role that settles', async () => {
  const [ended, settled] = (await read(owner, 'alerts.resolved', {})).data;
  const reopen = ({ kind, subject, resolved_at }: typeof ended) => ({
    ...{ kind, subject, settled_at: resolved_at },
  });
  const refused = await ask(member, 'alerts.reopen', reopen(settled), 'write');
  assert.equal(refused.status, 403);
  assert.deepEqual(await write(owner, 'alerts.reopen', reopen(ended)), { reopened: false });
  assert.deepEqual(await write(owner, 'alerts.reopen', reopen(settled)), { reopened: true });
  const open = (await read(owner, 'alerts.list', {})).data;
  assert.deepEqual(
    open.map(({ subject }: { subject: string }) => subject),
    ['a'],
  );
});

test('an alert that a person settled once and that then ends by itself has no person', async () => {
  const account = '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90';
  await raise('stream', account);
  await write(owner, 'alerts.settle', { kind: 'stream', subject: account });
  await raise('stream', account);
  await scope((one) => resolveAlertsOf(one, ['stream'], account));
  const of = (await read(owner, 'alerts.resolved', {})).data.find(
    ({ subject }: { subject: string }) => subject === account,
  );
  assert.equal(of.settled_by, null);
});

test('of a person who left no name is shown, and after 30 days the alert is listed no more', async () => {
  await raise('trouble', 'c');
  await write(admin, 'alerts.settle', { kind: 'trouble', subject: 'c' });
  const { personId } = await personOf(admin);
  await scope((one) => removeMember(one, 'operator', personId));
  const who = async () =>
    (await read(owner, 'alerts.resolved', {})).data.find(
      ({ subject }: { subject: string }) => subject === 'c',
    )?.settled_by;
  assert.equal(await who(), 'Una persona que ya no está en la organización');
  // Sessions follow the machine's clock, so the alert moves and not the clock.
  await instance.app.database.write((handle) =>
    handle.sql("update alerts set resolved_at = resolved_at - interval '31 days'", []),
  );
  assert.equal(await who(), undefined);
});

async function raise(kind: string, subject: string): Promise<void> {
  await scope((one) => raiseAlert(one, { kind, subject, message: `Problema ${subject}.` }));
}

function at(): string {
  return formatMillis(instance.clock.now());
}

async function personOf({ email }: Known) {
  const members = await instance.app.database.within(organizacion).read(membersOf);
  const person = members.find((one) => one.email === email);
  assert.ok(person);
  return person;
}

function scope<Result>(work: (one: WriteScope) => Promise<Result>): Promise<Result> {
  return instance.app.database.within(organizacion).write(work);
}
