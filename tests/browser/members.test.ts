import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { changePlan } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { callApi, openApp } from '../support/app.ts';
import {
  enter,
  faultsOf,
  noBrowser,
  openBrowser,
  turnOnSecondFactor,
} from '../support/chromium.ts';
import { openTeam, PASSWORD } from '../support/people.ts';
import { mailsTo, tokenIn } from '../support/visitor.ts';

// Two people of one organisation, each in a browser of the size of a phone, with script switched
// off.

const GUEST = 'beto@tienda.example';

test('an owner invites a person, changes the role, and makes a key once the second factor is on', {
  skip: noBrowser,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-browser-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const clock = { ...systemClock, advance() {} };
  const at = await openApp(WHOLE_FILE, { clock, env: { DATA_DIR: dataDir } });
  const { owner, organizacion } = await openTeam(at, join(dataDir, 'mail'));
  const plan = { organizationId: organizacion, plan: 'intermedio', quota: null } as const;
  await at.app.database.write((handle) => changePlan(handle, clock, plan));
  const url = at.app.exchange.publicUrl;
  const page = await (await openBrowser(t, { javaScriptEnabled: false })).newPage();
  const guests = await (
    await openBrowser(t, { javaScriptEnabled: false, colorScheme: 'dark' })
  ).newPage();
  const faults = [faultsOf(page), faultsOf(guests)];

  await page.goto(`${url}/cuenta/miembros`);
  await enter(page, { email: owner.email, password: PASSWORD });
  await page.getByRole('heading', { name: 'Miembros' }).waitFor();
  await page.getByLabel('Correo').fill(GUEST);
  await page.getByLabel('Rol', { exact: true }).selectOption({ label: 'Almacén' });
  await page.getByRole('button', { name: 'Enviar invitación' }).click();
  await page.getByRole('status').getByText(`Invitamos a ${GUEST}`).waitFor();
  await page.getByText('Invitación de Ana Robles.').waitFor();
  await fitsItsWindow(page);

  const token = tokenIn(await mailsTo(join(dataDir, 'mail'), GUEST, 1), '/invitacion');
  await guests.goto(`${url}/invitacion?token=${token}`);
  await guests.getByLabel('Tu nombre').fill('Beto Ruiz');
  await guests.getByLabel('Contraseña').fill('cinco platos hondos');
  await guests.getByRole('button', { name: 'Crear cuenta y aceptar' }).click();
  // It leads to the panel, which needs scripts; the pages of the account do not.
  await guests.waitForURL(`${url}/panel/${organizacion}`);
  await guests.goto(`${url}/cuenta`);
  await guests.getByText('Papelería Sol: Almacén').waitFor();

  await page.reload();
  await page.getByLabel('Rol de Beto Ruiz').selectOption({ label: 'Supervisor de almacén' });
  await page.getByRole('button', { name: 'Cambiar rol de Beto Ruiz' }).click();
  await page
    .getByRole('status')
    .getByText('Beto Ruiz ahora tiene el rol Supervisor de almacén.')
    .waitFor();
  await guests.getByRole('main').getByRole('link', { name: 'Miembros', exact: true }).click();
  await guests.getByText('Supervisor de almacén, desde el').waitFor();
  assert.equal(await guests.getByRole('button').count(), 0);
  await fitsItsWindow(guests);

  await page.goto(`${url}/cuenta/claves`);
  await page.getByRole('link', { name: 'verificación en dos pasos' }).click();
  await turnOnSecondFactor(page, PASSWORD);
  await page.getByRole('main').getByRole('link', { name: 'Claves de API' }).click();
  await page.getByLabel('Nombre').fill('Hoja de ventas');
  await page.getByLabel(/^Ventas/).check();
  await page.getByLabel('Vigencia').selectOption({ label: '90 días' });
  await page.getByRole('button', { name: 'Crear la clave' }).click();
  const key = (await page.locator('#clave-de-api').textContent()) ?? '';
  await fitsItsWindow(page);
  const { body } = await callApi(url, '/v1/me', {}, { key });
  assert.deepEqual(body.data.key.scopes, ['orders:read', 'sales:read']);
  // Sends the form again, as a person does who agrees to it.
  await page.reload();
  await page.getByRole('heading', { name: 'Esa clave ya quedó creada' }).waitFor();
  await page.getByRole('link', { name: 'Ver las claves' }).click();
  await page.getByText('1 de 10 claves activas.').waitFor();
  await fitsItsWindow(page);
  await page.goto(`${url}/cuenta`);
  await page.getByRole('main').getByRole('link', { name: 'Actividad' }).click();
  await page.getByText('Creó la clave de API «Hoja de ventas»').waitFor();
  await fitsItsWindow(page);

  const conflict = 'Failed to load resource: the server responded with a status of 409 (Conflict)';
  assert.deepEqual(faults, [[conflict], []]);
});

async function fitsItsWindow(page: Page): Promise<void> {
  const width = await page.evaluate('document.documentElement.scrollWidth');
  assert.ok(Number(width) <= 390, `${page.url()} is ${width} wide`);
}
