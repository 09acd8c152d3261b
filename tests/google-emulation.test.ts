import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnedClock } from './support/clock.ts';
import { openGoogle } from './support/google/google.ts';

// The emulation of Google's services is as strict as Google: what the template must not do fails.

const PROBE = `
const tab = () => SpreadsheetApp.getActive().getSheetByName('A');
const range = (rows, columns) => tab().getRange(1, 1, rows, columns);
function setUp() { SpreadsheetApp.getActive().insertSheet('A'); }
function fewerColumns() { range(2, 2).setValues([[1, 2], [3]]); }
function fewerRows() { range(2, 2).setValues([[1, 2]]); }
function oneRowOnly() { range(1, 2).setValues([1, 2]); }
function outside() { tab().getRange(1001, 1); }
function noRows() { range(0, 1); }
function undefinedValue() { range(1, 1).setValues([[undefined]]); }
function longCell() { range(1, 1).setValues([['x'.repeat(50001)]]); }
function manyCells() { tab().insertRowsAfter(1000, 384000); }
function longProperty() { PropertiesService.getUserProperties().setProperty('a', 'x'.repeat(9217)); }
function manyProperties() {
  const store = PropertiesService.getDocumentProperties();
  for (let each = 0; each < 60; each++) store.setProperty('a' + each, 'x'.repeat(9000));
}
function longAddress() { UrlFetchApp.fetch('http://127.0.0.1/' + 'x'.repeat(2048)); }
function noAnswer() { UrlFetchApp.fetch('http://127.0.0.1:9/'); }
function manyTriggers() {
  for (let each = 0; each < 21; each++) ScriptApp.newTrigger('setUp').timeBased().after(1).create();
}
function dialog() { SpreadsheetApp.getUi(); }
function lockOfNothing() { LockService.getDocumentLock().tryLock(1); }
function sleepLong() { try { for (;;) Utilities.sleep(60000); } finally { tab().setFrozenRows(1); } }
function sleep() { Utilities.sleep(300000); }
function formula() { range(1, 3).setNumberFormats([['@', '', '@']]).setValues([['=1+1', '0012', '0012']]); }
function write() {
  range(1, 1).setValues([['written']]);
  Utilities.sleep(1);
  Utilities.sleep(1);
  SpreadsheetApp.flush();
}
`;

const REFUSALS: Readonly<Record<string, RegExp>> = {
  fewerColumns:
    /number of columns in the data does not match .* The data has 1 but the range has 2/,
  fewerRows: /number of rows in the data does not match .* The data has 1 but the range has 2/,
  oneRowOnly: /don't match the method signature/,
  outside: /outside the dimensions of the sheet/,
  noRows: /number of rows in the range must be at least 1/,
  undefinedValue: /Cannot convert undefined/,
  longCell: /more than the maximum of 50000 characters/,
  manyCells: /above the limit of 10000000 cells/,
  longProperty: /Argument too large: value/,
  manyProperties: /exceeded the property storage quota/,
  longAddress: /Limit Exceeded: URLFetch URL Length/,
  noAnswer: /Address unavailable/,
  manyTriggers: /too many triggers/,
};

test('what Google refuses is refused', async (t) => {
  const google = await openGoogle(t, { script: PROBE, clock: turnedClock() });
  await google.run('setUp');

  for (const [name, says] of Object.entries(REFUSALS))
    assert.match((await google.run(name)).error ?? '', says, name);
  assert.match(
    (await google.run('dialog', { kind: 'trigger' })).error ?? '',
    /Cannot call .*getUi/,
  );
  await google.edit({ what: 'day', fetches: 20_000 });
  assert.match((await google.run('noAnswer')).error ?? '', /too many times for one day/);
  assert.match((await google.run('lockOfNothing', { isUnbound: true })).error ?? '', /null/);
});

test('a run ends after six minutes, with no statement more; triggers after ninety a day', async (t) => {
  const clock = turnedClock();
  const google = await openGoogle(t, { script: PROBE, clock });
  await google.run('setUp');

  const long = await google.run('sleepLong');
  const ran = [];
  for (let run = 0; run < 19; run++) ran.push(await google.run('sleep', { kind: 'trigger' }));
  clock.advance({ hours: 24 });
  const next = await google.run('sleep', { kind: 'trigger' });

  assert.deepEqual([long.stopped, long.error], ['Exceeded maximum execution time', null]);
  assert.deepEqual(
    ran.map(({ stopped }) => stopped),
    [...Array(18).fill(null), 'Service using too much computer time for one day'],
  );
  assert.equal(next.stopped, null);
});

test('a cell takes what is written into it as if a person typed it', async (t) => {
  const google = await openGoogle(t, { script: PROBE, clock: turnedClock() });
  await google.run('setUp');

  await google.run('formula');
  const { rows } = await google.tab('A');
  assert.deepEqual(
    rows[0]?.slice(0, 3).map(({ kind, value }) => [kind, value]),
    [
      ['formula', '=1+1'],
      ['number', 12],
      ['text', '0012'],
    ],
  );
});

test('of the writes of a run that is cut before it flushed them some may be lost', async (t) => {
  const google = await openGoogle(t, { script: PROBE, clock: turnedClock() });
  await google.run('setUp');
  const { calls } = await google.run('write');
  const seen = new Set<number>();

  for (const cutAt of [calls, calls - 1]) {
    await google.reset();
    await google.run('setUp');
    await google.run('write', { cutAt });
    seen.add((await google.tab('A')).rows.length);
  }

  assert.deepEqual(seen, new Set([0, 1]));
});
