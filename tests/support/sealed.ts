import type { TestApp } from './app.ts';

/**
 * Seals a text with the data key of an organisation. @returns what opens it at any instance with
 * that key
 */
export async function sealSomething(own: TestApp) {
  const binding = ['prueba'];
  const box = await own.app.database
    .within(own.organization.id)
    .write(async (scope) => (await scope.vault()).seal(binding, Buffer.from('sellado')));
  return (at: TestApp, organizationId: string) =>
    at.app.database
      .within(organizationId)
      .read(async (scope) => (await scope.vault()).open(binding, box).toString());
}
