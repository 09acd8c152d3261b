import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  closingBalanceOf,
  isPayout,
  toPayout,
} from '../../src/connectors/mercado_libre/wire-money.ts';
import { readTable } from '../../src/connectors/table.ts';

// Official sample documents are read where SAMPLES_DIR names a folder with them; none is part of
// the project.

const FILE = process.env.SAMPLES_DIR
  ? join(
      process.env.SAMPLES_DIR,
      'marketplaces/mercado_libre/examples/mp_release_report_sample_csv.json',
    )
  : '';
const skip = existsSync(FILE) ? false : 'SAMPLES_DIR names no folder with official documents';

test('the sample of a release report, with either separator, ends with what its rows add up to', {
  skip,
}, () => {
  const { body } = JSON.parse(readFileSync(FILE, 'utf8')) as { body: string };
  const cells = body
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
  const cents = cells.reduce(
    (sum, row) => sum + Math.round(Number(row[5]) * 100) - Math.round(Number(row[6]) * 100),
    0,
  );

  for (const text of [body, body.replaceAll(',', ';')]) {
    const rows = readTable(text);
    assert.equal(rows.length, cells.length);
    assert.equal(Math.round(Number(closingBalanceOf(rows)) * 100), cents);
    const payouts = rows.filter(isPayout).map(toPayout);
    const withdrawn = cells.filter((row) => row[4] === 'withdrawal');
    assert.deepEqual(
      payouts.map(({ id, gross }) => [id, Number(gross)]),
      withdrawn.map((row) => [row[1], Number(row[6])]),
    );
  }
});
