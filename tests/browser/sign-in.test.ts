import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { systemClock } from '../../src/platform/clock.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp } from '../support/app.ts';
import {
  addAuthenticator,
  enter,
  faultsOf,
  noBrowser,
  openBrowser,
  turnOnSecondFactor,
} from '../support/chromium.ts';
import { codeOf, mailsTo, tokenIn } from '../support/visitor.ts';

// What a person does, in a browser of the size of a phone.

const PASSWORD = 'cuatro tazas azules';
const EMAIL = 'ana@tienda.example';
const ME = { email: EMAIL, password: PASSWORD };

test('from registering to signing in with a second factor and with a passkey', {
  skip: noBrowser,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-browser-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const { app: instance } = await openApp(WHOLE_FILE, {
    clock: { ...systemClock, advance() {} },
    env: { DATA_DIR: dataDir },
  });
  const url = instance.exchange.publicUrl;
  const context = await openBrowser(t);
  const page = await context.newPage();
  const faults = faultsOf(page);

  await page.goto(`${url}/cuenta`);
  await page.getByRole('link', { name: 'Regístrate' }).click();
  await page.getByLabel('Tu nombre').fill('Ana Robles');
  await page.getByLabel('Tu tienda u organización').fill('Papelería Sol');
  await page.getByLabel('Correo').fill(EMAIL);
  await page.getByLabel('Contraseña').fill(PASSWORD);
  await page.getByRole('button', { name: 'Crear cuenta' }).click();
  await page.getByRole('heading', { name: 'Revisa tu correo' }).waitFor();

  const token = tokenIn(await mailsTo(join(dataDir, 'mail'), EMAIL, 1), '/verificar-correo');
  await page.goto(`${url}/verificar-correo?token=${token}`);
  await page.getByRole('button', { name: 'Confirmar mi correo' }).click();
  await page.getByRole('heading', { name: 'Inicio' }).waitFor();
  await page.goto(`${url}/cuenta`);
  await page.getByText('Papelería Sol: Propietario').waitFor();

  const key = await turnOnSecondFactor(page, PASSWORD);
  await page.getByRole('button', { name: 'Cerrar sesión', exact: true }).click();
  await enter(page, ME);
  await page.getByLabel('Código de tu aplicación').fill('000000');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('alert').getByText('El código no es correcto').waitFor();
  await page.getByLabel('Código de tu aplicación').fill(codeOf(key, Date.now() + 30_000));
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('heading', { name: 'Inicio' }).waitFor();
  await page.goto(`${url}/cuenta`);
  await page.getByText('Está activa.').waitFor();

  await page.locator('#contrasena-agregar-llave').fill(PASSWORD);
  await page.getByRole('button', { name: 'Agregar una llave de acceso' }).click();
  await page.getByRole('heading', { name: 'Agregar una llave de acceso' }).waitFor();
  const takeAway = await addAuthenticator(page, { verifies: false });
  assert.equal(await registerUnverified(page), 401);
  await takeAway();
  await addAuthenticator(page, { verifies: true });
  const save = page.getByRole('button', { name: 'Guardar la llave de acceso' });
  const held = Promise.withResolvers<void>();
  await page.route('**/generate-register-options', async (route) => {
    await held.promise;
    await route.continue();
  });
  await save.click();
  assert.equal(await save.isDisabled(), true, 'it works');
  held.resolve();
  await page.getByText('La llave de acceso quedó guardada.').waitFor();
  const reported = await mailsTo(join(dataDir, 'mail'), EMAIL, 3);
  assert.match(reported.at(-1) ?? '', /Se agregó una llave de acceso/);
  await page.getByRole('button', { name: 'Cerrar sesión', exact: true }).click();
  await page.getByRole('button', { name: 'Entrar con una llave de acceso' }).click();
  await page.getByRole('heading', { name: 'Inicio' }).waitFor();

  assert.ok(await fitsItsWindow(page));
  assert.deepEqual(faults, []);
});

/**
 * A script of an attacker, which does not ask the device to verify. @returns the status of the
 * answer
 */
function registerUnverified(page: Page): Promise<number> {
  return page.evaluate(`(async () => {
    const { data } = await (await fetch('/api/auth/passkey/generate-register-options')).json();
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON({
      ...data,
      authenticatorSelection: { userVerification: 'discouraged', residentKey: 'discouraged' },
    });
    const credential = await navigator.credentials.create({ publicKey });
    const answer = await fetch('/api/auth/passkey/verify-registration', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ response: credential.toJSON() }),
    });
    return answer.status;
  })()`);
}

function fitsItsWindow(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
}
