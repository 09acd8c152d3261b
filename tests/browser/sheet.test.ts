import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp } from '../support/app.ts';
import { enter, faultsOf, noBrowser, openBrowser } from '../support/chromium.ts';
import { scriptFor } from '../support/google/sheet.ts';
import { openTeam, PASSWORD } from '../support/people.ts';

// The page of the spreadsheet templates, with and without script.

test('a button copies the template; without script it is selected and copied by hand', {
  skip: noBrowser,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-browser-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const clock = { ...systemClock, advance() {} };
  const at = await openApp(WHOLE_FILE, { clock, env: { DATA_DIR: dataDir } });
  const { owner } = await openTeam(at, join(dataDir, 'mail'));
  const url = at.app.exchange.publicUrl;
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await (await openBrowser(t, { permissions })).newPage();
  const plain = await (
    await openBrowser(t, { javaScriptEnabled: false, colorScheme: 'dark' })
  ).newPage();
  const faults = [faultsOf(page), faultsOf(plain)];

  for (const each of [page, plain]) {
    await each.goto(`${url}/cuenta/hoja`);
    await enter(each, { email: owner.email, password: PASSWORD });
    await each.getByRole('heading', { name: 'Google Sheets' }).waitFor();
    const width = await each.evaluate('document.documentElement.scrollWidth');
    assert.ok(Number(width) <= 390, `${width} wide`);
  }
  await page.getByRole('button', { name: 'Copiar' }).first().click();
  await page.getByRole('status').getByText('Copiado.').waitFor();

  assert.equal(await page.evaluate('navigator.clipboard.readText()'), scriptFor(url));
  assert.equal(await plain.getByRole('button', { name: 'Copiar' }).count(), 0);
  assert.equal(await plain.getByLabel('Código para Google Sheets').inputValue(), scriptFor(url));
  assert.deepEqual(faults, [[], []]);
});
