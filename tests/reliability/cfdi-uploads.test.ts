import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createKey } from '../../src/features/keys/index.ts';
import { environmentOf } from '../support/app.ts';
import { aCfdi, folioOf } from '../support/cfdi-files.ts';
import { freshDatabase } from '../support/server.ts';
import { zipOf } from '../support/zip.ts';
import { openClient, openHandle } from './support/ground.ts';
import { eventually, lastFirst, startInstance } from './support/processes.ts';
import { reportFigure, within } from './support/profile.ts';
import { addTenant } from './support/tenants.ts';

// A ZIP of CFDI is read in time, and a process that is killed meanwhile loses and doubles nothing.

const FILES = 2_000;
const WITHIN_MS = within(60_000);

test(`a ZIP of ${FILES} CFDI: read in time, none lost or doubled when the process is killed in between`, {
  timeout: 400_000,
}, async (t: TestContext) => {
  const end = lastFirst(t);
  const env = environmentOf(await freshDatabase());
  const client = await openClient(end, env.DATABASE_URL as string);
  const database = openHandle(end, env.DATABASE_URL as string);
  const first = await startInstance(end, env);
  const { id } = await addTenant(database);
  const { key } = await database
    .within(id)
    .write((scope) => createKey(scope, 'operator', { name: 'carga', scopes: ['cfdi:write'] }));
  const count = async (text: string): Promise<number> => (await client.query(text)).rows[0].count;
  const read = () => count("select count(*)::int from cfdi_upload_files where state <> 'waiting'");
  const upload = async (url: string, from: number) => {
    const folios = Array.from({ length: FILES }, (_, at) => folioOf(from + at));
    const files = folios.map((uuid) => [`${uuid}.xml`, aCfdi({ uuid })] as const);
    const body = await zipOf(Object.fromEntries(files));
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/zip' };
    const answer = await fetch(`${url}/manage/v1/cfdis`, { method: 'POST', headers, body });
    assert.equal(answer.status, 202, await answer.clone().text());
  };

  const startedAt = performance.now();
  await upload(first.url, 0);
  assert.ok(await eventually(async () => (await read()) === FILES, WITHIN_MS, 100));
  const seconds = (performance.now() - startedAt) / 1_000;
  assert.equal(await count('select count(*)::int from cfdis'), FILES);

  await upload(first.url, FILES);
  assert.ok(await eventually(async () => (await read()) > FILES + FILES / 4, WITHIN_MS));
  await first.end('SIGKILL');
  const cut = (await read()) - FILES;
  assert.ok(cut < FILES, 'the process was killed before the end');
  assert.equal(await count('select count(*)::int from cfdis'), FILES + cut);
  await startInstance(end, env);
  assert.ok(await eventually(async () => (await read()) === 2 * FILES, WITHIN_MS, 100));

  assert.equal(await count('select count(*)::int from cfdis'), 2 * FILES);
  assert.equal(
    await count("select count(*)::int from cfdi_upload_files where state = 'new'"),
    2 * FILES,
  );
  reportFigure(
    t,
    `CFDI: a ZIP of ${FILES} read and stored in ${seconds.toFixed(1)} s; of another one, killed after ${cut}, none lost or doubled`,
  );
});
