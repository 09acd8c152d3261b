import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openNoticeSender } from './notice-sender.ts';

const fail = (error: Error) => assert.fail(error);

test('notices of one moment leave as one, with the latest of each subject', async () => {
  const sent: string[] = [];
  const sender = openNoticeSender(async (payload) => sent.push(payload), fail);

  sender.notify('one', '2026-01-01');
  sender.notify('two', '2026-01-05');
  sender.notify('one', '2026-01-03');
  // The answers to two commits may be read in another order than they were given.
  sender.notify('one', '2026-01-02');
  await sender.flush();

  assert.deepEqual(sent, ['one 2026-01-03\ntwo 2026-01-05']);
});

test('no notice is longer than PostgreSQL takes, and no notice is left out', async () => {
  const sent: string[] = [];
  const sender = openNoticeSender(async (payload) => sent.push(payload), fail);
  const reported = Array.from(
    { length: 1_000 },
    () => `${crypto.randomUUID()} 2026-11-21T01:02:03.123456Z`,
  );

  for (const line of reported) sender.notify(...(line.split(' ') as [string, string]));
  await sender.flush();

  assert.deepEqual(sent.flatMap((payload) => payload.split('\n')).toSorted(), reported.toSorted());
  for (const payload of sent)
    assert.ok(Buffer.byteLength(payload) < 8_000, `${payload.length} bytes`);
  assert.equal(sent.length, 9);
});

test('one notice is on its way at a time; later ones are merged', async () => {
  const sent: string[] = [];
  const first = Promise.withResolvers<void>();
  const sender = openNoticeSender(async (payload) => {
    sent.push(payload);
    if (sent.length === 1) await first.promise;
  }, fail);

  sender.notify('one', '1');
  while (sent.length === 0) await sleep(1);
  sender.notify('two', '1');
  sender.notify('three', '1');
  const flushed = sender.flush();
  assert.deepEqual(sent, ['one 1']);
  first.resolve();
  await flushed;

  assert.deepEqual(sent, ['one 1', 'two 1\nthree 1']);
});

test('a notice that cannot be sent is reported, and the next ones leave', async () => {
  const errors: string[] = [];
  const sent: string[] = [];
  const sender = openNoticeSender(
    async (payload) => {
      if (payload === 'one 1') throw new Error('the database is away');
      sent.push(payload);
    },
    (error) => errors.push(error.message),
  );

  sender.notify('one', '1');
  await sender.flush();
  sender.notify('two', '1');
  await sender.flush();

  assert.deepEqual([errors, sent], [['the database is away'], ['two 1']]);
});
