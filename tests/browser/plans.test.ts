import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { faultsOf, noBrowser } from '../support/chromium.ts';
import { joined, openMailingInstance, openTeam } from '../support/people.ts';
import { accessibilityFaults, openPanelPage } from './support/panel-page.ts';

// What each plan adds to the one before it, and the way to another plan.

test('each plan says what it adds, and without a mail of the operator whom to ask', {
  skip: noBrowser,
}, async (t) => {
  const page = await openSettings(t, {});
  const faults = faultsOf(page);

  const plans = page.locator('.plans > li');
  await plans.first().waitFor();
  const facts = await Promise.all(
    (await plans.all()).map((plan) => plan.getByRole('listitem').allTextContents()),
  );
  assert.deepEqual(facts, [
    [
      'Todo el panel durante 14 días',
      'Después puedes ver todo, pero no hacer cambios; no se borra nada',
      'Sin API, agentes ni webhooks',
    ],
    [
      'Todo el panel, sin fecha de término',
      'Sigues conectando cuentas, generando guías y haciendo cambios',
      'Sin API, agentes ni webhooks',
    ],
    [
      'Todo lo de Básico',
      'API, agentes y hojas de cálculo',
      'Webhooks solo para consultar',
      'Registro de eventos de 7 días',
      '500 solicitudes por minuto',
      'Hasta 10 claves de API',
    ],
    [
      'Todo lo de Intermedio',
      'Webhooks completos',
      'Hasta 5 endpoints de webhooks',
      'Registro de eventos de 30 días',
    ],
    [
      'Todo lo de Avanzado',
      'Hasta 20 endpoints de webhooks',
      '2,000 solicitudes por minuto, o las que acordemos',
      'Hasta 50 claves de API',
    ],
  ]);
  await page.getByText('contacta a la persona o empresa que te dio acceso').waitFor();
  assert.deepEqual([await accessibilityFaults(page), faults], [[], []]);
});

test('with a mail of the operator the plan is asked for from the screen', {
  skip: noBrowser,
}, async (t) => {
  const page = await openSettings(t, { SUPPORT_EMAIL: 'ayuda@tienda.example' });

  await page.getByRole('button', { name: 'Pedir el cambio' }).click();
  await page.getByText('Enviamos tu solicitud. Te responderán por correo.').waitFor();
});

test('after the trial a member who may not change the plan reads who may', {
  skip: noBrowser,
}, async (t) => {
  const { instance, folder } = await openMailingInstance(t, undefined, {
    SUPPORT_EMAIL: 'ayuda@tienda.example',
  });
  const { owner, organizacion } = await openTeam(instance, folder);
  await instance.app.database.write((handle) =>
    handle.sql("update organizations set plan = 'demo', trial_ends_at = $2 where id = $1", [
      organizacion,
      instance.clock.now().toString(),
    ]),
  );
  const person = await joined(instance, folder, organizacion, { by: owner, role: 'warehouse' });
  const page = await openPanelPage(t, instance, { person, organizacion, path: '' });

  await page.getByRole('link', { name: 'Ver los planes' }).click();
  await page.getByText('Solo un propietario de la organización puede cambiar el plan').waitFor();

  await page.getByText('Tu prueba terminó el').waitFor();
  assert.equal(await page.getByText(/elijas|contacta a/).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Pedir el cambio' }).count(), 0);
  assert.deepEqual(await accessibilityFaults(page), []);
});

async function openSettings(t: TestContext, env: Readonly<Record<string, string>>) {
  const { instance, folder } = await openMailingInstance(t, undefined, env);
  const { owner, organizacion } = await openTeam(instance, folder);
  return openPanelPage(t, instance, { person: owner, organizacion, path: '/ajustes' });
}
