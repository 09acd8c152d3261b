import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { recordCfdis } from '../src/features/cfdi/index.ts';
import { createKey } from '../src/features/keys/index.ts';
import { callApi, openApp } from './support/app.ts';
import { aCfdi, folioOf } from './support/cfdi-files.ts';
import { readCfdi } from './support/read-cfdi.ts';
import { namesIn } from './support/zip.ts';

// The ZIP of CFDI for a caller whose line is slow.

const DOCUMENTS = 60;
/** More than the buffers between two processes hold, all in all. */
const NOISE_BYTES = 200_000;
const LIMIT_SECONDS = 1;

test('an archive comes whole, however slow its caller is', { tags: ['slow'] }, async (t) => {
  const instance = await openApp(t, { env: { REQUEST_TIMEOUT_SECONDS: String(LIMIT_SECONDS) } });
  const organization = instance.app.database.within(instance.organization.id);
  const key = await organization.write(async (scope) => {
    await recordCfdis(scope, 'upload', Array.from({ length: DOCUMENTS }, noisy), []);
    return createKey(scope, 'operator', { name: 'lectura', scopes: ['cfdi:read'] });
  });
  const { body } = await callApi(instance.url, '/manage/v1/cfdi-archive', {}, key);

  const response = await new Promise<IncomingMessage>((resolve) => get(body.data.url, resolve));
  await pause(LIMIT_SECONDS * 1_500);
  const names = await namesIn(Buffer.concat(await response.toArray()));

  assert.equal(response.statusCode, 200);
  assert.equal(names.length, DOCUMENTS);
});

/** Its noise cannot be packed. */
function noisy(_: unknown, at: number) {
  const noise = randomBytes(NOISE_BYTES).toString('base64');
  const end = `<cfdi:Addenda><x>${noise}</x></cfdi:Addenda></cfdi:Comprobante>`;
  const text = aCfdi({ uuid: folioOf(at) }).replace('</cfdi:Comprobante>', end);
  return readCfdi(Buffer.from(text));
}
