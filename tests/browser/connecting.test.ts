import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  beginStream,
  finishRun,
  saveConnection,
  setPaused,
} from '../../src/features/connections/index.ts';
import { changePlan } from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { anOrder } from '../support/app.ts';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { openMailingInstance, openTeam, PASSWORD, withSecondFactor } from '../support/people.ts';
import { codeOf } from '../support/visitor.ts';
import { accessibilityFaults, openPanelPage, show } from './support/panel-page.ts';

// Connecting needs the second factor of this session: the way to the page that confirms, and back.

test('an account is connected after the second factor, and what was typed is still there', {
  skip: noBrowser,
}, async (t) => {
  const { clock, instance, owner, organizacion } = await openShop(t);
  const plan = { organizationId: organizacion, plan: 'avanzado', quota: null } as const;
  await instance.app.database.write((handle) => changePlan(handle, clock, plan));
  const { key, backupCodes } = await withSecondFactor(owner.visitor);
  const forget = () =>
    instance.app.database.write((handle) =>
      handle.sql('update sessions set factor_used_at = null', []),
    );
  await forget();
  const page = await openPanelPage(t, instance, {
    person: owner,
    organizacion,
    path: '/conexiones?conectar=woocommerce',
  });
  const faults = faultsOf(page);
  const confirm = page.getByRole('link', { name: 'Confirmar', exact: true });

  await page.getByRole('heading', { name: 'Confirma que eres tú' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Probar y guardar' }).count(), 0);
  await confirm.click();
  await page.getByLabel('Código de tu aplicación').fill(codeOf(key, Date.now() + 30_000));
  await page.getByRole('button', { name: 'Continuar' }).click();
  const store = page.getByLabel('Dirección de la tienda');
  await store.fill('https://tienda.example');
  await page.getByLabel('Consumer key').fill('ck_1');
  await page.getByLabel('Consumer secret').fill('cs_1');

  await page.route('**/connections.connect', (route) => {
    const error = { code: 'credentials_rejected', message: 'La tienda no las aceptó.' };
    return route.fulfill({ status: 422, json: { error: { ...error, request_id: 'req_1' } } });
  });
  await page.getByRole('button', { name: 'Probar y guardar' }).click();
  const refused = page.getByRole('alert').filter({ hasText: 'La tienda no las aceptó.' });
  await refused.waitFor();
  assert.equal(await page.getByRole('button', { name: 'Intentar de nuevo' }).count(), 0);
  const [note, field] = [await refused.boundingBox(), await store.boundingBox()];
  assert.ok(note && field && note.width <= field.width, 'the note is as wide as its form');
  await page.unroute('**/connections.connect');

  await forget();
  await page.getByRole('button', { name: 'Probar y guardar' }).click();
  await confirm.click();
  await page.getByLabel('Código de respaldo').fill(backupCodes[0] as string);
  await page.getByRole('button', { name: 'Usar código de respaldo' }).click();
  await store.waitFor();
  assert.equal(await store.inputValue(), 'https://tienda.example');
  assert.equal(await page.getByLabel('Consumer secret').inputValue(), '', 'a secret is never kept');
  assert.deepEqual(
    faults.filter((fault) => !/403|422/.test(fault)),
    [],
  );
});

test('a person without a second factor turns it on, and is back at the form of the account', {
  skip: noBrowser,
}, async (t) => {
  const { instance, owner, organizacion } = await openShop(t);
  const page = await openPanelPage(t, instance, {
    person: owner,
    organizacion,
    path: '/conexiones?conectar=walmart',
  });

  await page.getByRole('heading', { name: 'Activa la verificación en dos pasos' }).waitFor();
  await page.getByRole('link', { name: 'Activar la verificación en dos pasos' }).click();
  await page.getByLabel('Tu contraseña').fill('otra contraseña');
  await page.getByRole('button', { name: 'Continuar' }).click();
  await page.getByRole('alert').getByText('La contraseña no es correcta.').waitFor();
  await page.getByLabel('Tu contraseña').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continuar' }).click();
  const key = (await page.locator('#clave').textContent()) ?? '';
  await page.getByLabel('Código de tu aplicación').fill('000000');
  await page.getByRole('button', { name: 'Activar' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Código de tu aplicación').fill(codeOf(key));
  await page.getByRole('button', { name: 'Activar' }).click();

  await page.getByLabel('Client ID').waitFor();
  assert.equal(new URL(page.url()).search, '?conectar=walmart');
});

test('a Tiendanube account is connected again by steps, each value where it is found', {
  skip: noBrowser,
}, async (t) => {
  const { instance, owner, organizacion } = await openShop(t);
  await withSecondFactor(owner.visitor);
  await instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'tiendanube', accountId: '271828', name: 'Mi tienda' },
      ...{ credentials: { store_id: '271828' }, baseUrl: null, credentialsExpireAt: null },
    }),
  );
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/conexiones?conectar=tiendanube' },
  });

  const dialog = page.getByRole('dialog');
  await dialog.getByRole('listitem').nth(2).waitFor();
  assert.match(
    (await dialog.getByRole('listitem').allTextContents()).join(' '),
    /Pide a quien hizo la aplicación.*pídele que instale otra vez.*Copia aquí/s,
  );
  await dialog.getByLabel('Número de tienda').waitFor();
  await dialog.getByLabel('Clave de acceso').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('a service that is not open here says whom to ask, and a success without kept runs says when', {
  skip: noBrowser,
}, async (t) => {
  const { clock, instance, owner, organizacion } = await openShop(t);
  await instance.app.database.within(organizacion).write(async (scope) => {
    const id = await saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'walmart', accountId: 'w-78', name: 'Outlet', credentials: {} },
      ...{ baseUrl: null, credentialsExpireAt: null },
    });
    const to = clock.now();
    await beginStream(scope, id, 'orders', { from: null, to });
    await finishRun(scope, id, 'orders', to, to);
    // The service would synchronise it, and keep that run.
    await setPaused(scope, id, true);
  });
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/conexiones' },
  });
  const of = (name: string) => page.locator('.services > li').filter({ hasText: name });

  const closed = of('TikTok Shop');
  await closed.getByText('pídelo a la persona o empresa que te dio acceso').waitFor();
  assert.doesNotMatch((await closed.textContent()) ?? '', /docs\//, 'no path of the repository');
  await of('Outlet').getByText('Qué se ha leído').click();
  await of('Outlet').getByText('0 leídas').waitFor();
  await of('Outlet').getByRole('button', { name: 'Historial de sincronización' }).click();
  await page.getByText('No guardamos el detalle de las sincronizaciones anteriores.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);

  // As «Reconectar» leads to it.
  await show(page, `${page.url().split('?')[0]}?conectar=tiktok_shop`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Por ahora TikTok Shop no se puede conectar en Tianguis.').waitFor();
  assert.deepEqual(await accessibilityFaults(page), []);
});

test('an account is given a name, which its screens show', { skip: noBrowser }, async (t) => {
  const { instance, owner, organizacion } = await openShop(t);
  await instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'walmart', accountId: 'w-77', name: 'w-77', credentials: {} },
      ...{ baseUrl: null, credentialsExpireAt: null },
    }),
  );
  const order = { ...anOrder({ id: 'O-1', accountId: 'w-77' }), marketplace: 'walmart' } as const;
  await instance.record([order], organizacion);
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/conexiones' },
  });
  const faults = faultsOf(page);

  const open = page.getByRole('button', { name: 'Cambiar nombre' });
  await open.click();
  const field = page.getByLabel('Nombre de la cuenta');
  await field.fill(' ');
  await page.getByRole('button', { name: 'Guardar', exact: true }).click();
  await page.getByText('El nombre de la cuenta debe tener de 1 a 60 caracteres.').waitFor();
  await field.fill('Outlet norte');
  assert.deepEqual(await accessibilityFaults(page), []);
  await field.press('Enter');
  await page.getByRole('main').getByText('Outlet norte').waitFor();
  await open.waitFor();

  const polled = /connections\.overview/;
  await page.route(polled, (route) => route.fulfill({ status: 400, json: {} }));
  await page.getByRole('alert').first().waitFor();
  assert.equal(await open.count(), 1, 'the account stays where a poll fails');
  await page.unroute(polled);

  await page.goto(`${instance.app.exchange.publicUrl}/panel/${organizacion}/ordenes?orden=O-1`);
  await page.getByRole('dialog').getByText('Outlet norte').waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('400')),
    [],
  );
});

test('from an order that «¿Está todo?» found, closing it leads back to what was found', {
  skip: noBrowser,
}, async (t) => {
  const { instance, owner, organizacion } = await openShop(t);
  await instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'walmart', accountId: 'w-77', name: 'w-77', credentials: {} },
      ...{ baseUrl: null, credentialsExpireAt: null },
    }),
  );
  const order = { ...anOrder({ id: 'O-1', accountId: 'w-77' }), marketplace: 'walmart' } as const;
  await instance.record([order], organizacion);
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/conexiones' },
  });
  const check = {
    ...{ from: null, to: null, has_list: true, listed: 2, stored: 2, missing_count: 1 },
    ...{ missing: [{ id: 'O-1', outcome: 'fetched' }], stopped: null },
  };
  await page.route('**/connections.check-orders', (route) =>
    route.fulfill({ json: { job_id: 'j-1' } }),
  );
  await page.route('**/connections.check-result?*', (route) =>
    route.fulfill({ json: { state: 'done', error: null, check } }),
  );

  await page.getByRole('button', { name: '¿Está todo?' }).click();
  await page.getByRole('button', { name: 'Revisar' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'O-1' }).click();
  await page.getByRole('dialog', { name: 'Orden O-1' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'Conexiones' }).waitFor();
  await page.getByRole('dialog').getByRole('link', { name: 'O-1' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('«Sincronizar ahora» and «Pausar» keep the focus while they work, and after it', {
  skip: noBrowser,
}, async (t) => {
  const { instance, owner, organizacion } = await openShop(t);
  await instance.app.database.within(organizacion).write((scope) =>
    saveConnection(scope, instance.app.exchange.keyring, {
      ...{ service: 'walmart', accountId: 'w-79', name: 'Outlet', credentials: {} },
      ...{ baseUrl: null, credentialsExpireAt: null },
    }),
  );
  const page = await openPanelPage(t, instance, {
    ...{ person: owner, organizacion, path: '/conexiones' },
  });
  const focused = page.locator('button:focus');
  for (const [name, verb, after] of [
    ['Sincronizar ahora', 'connections.sync-soon', 'Se sincroniza'],
    ['Pausar', 'connections.pause', 'Reanudar'],
  ] as const) {
    const answered = page.waitForResponse((response) => response.url().includes(verb));
    await page.getByRole('button', { name }).focus();
    await page.keyboard.press('Enter');
    assert.equal((await answered).status(), 200);
    await focused.filter({ hasText: after }).waitFor({ timeout: 30_000 });
  }
});

/** An organisation whose owner has no second factor yet. */
async function openShop(t: TestContext) {
  const clock = { ...systemClock, advance() {} };
  const { instance, folder } = await openMailingInstance(t, clock);
  return { clock, instance, ...(await openTeam(instance, folder)) };
}
