import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import type { TestApp } from '../support/app.ts';
import { openMailingInstance, PASSWORD } from '../support/people.ts';
import { openVisitor } from '../support/visitor.ts';

// What is typed becomes no header of a mail, and no further receiver.

const OTHER = 'otro@ajeno.example';

let instance: TestApp;
let folder: string;

before(async () => {
  ({ instance, folder } = await openMailingInstance(WHOLE_FILE));
});

for (const address of [
  `ana@tienda.example\r\nBcc: ${OTHER}`,
  `ana@tienda.example\nBcc: ${OTHER}`,
  `ana@tienda.example, ${OTHER}`,
  `ana@tienda.example;${OTHER}`,
  `Ana <${OTHER}>`,
  `"ana\r\nBcc: ${OTHER}"@tienda.example`,
  `ana@tienda.example%0d%0aBcc:${OTHER}`,
])
  test(`${JSON.stringify(address)} is no address`, async () => {
    const { status } = await register({ correo: address });
    assert.equal(status, 400);
    await openVisitor(instance.url).post('/recuperar', { correo: address });
    assert.equal(mails().includes(OTHER), false);
  });

test('a name with lines of its own is refused', async () => {
  for (const field of ['nombre', 'organizacion']) {
    const { status } = await register({ [field]: `Ana\r\nBcc: ${OTHER}` });
    assert.equal(status, 400, field);
  }
  assert.equal(mails().includes(OTHER), false);
});

function register(given: Readonly<Record<string, string>>) {
  return openVisitor(instance.url).post('/registro', {
    nombre: 'Ana Robles',
    correo: 'ana@tienda.example',
    organizacion: 'Tienda',
    contrasena: PASSWORD,
    ...given,
  } as Record<string, string>);
}

function mails(): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .map((name) => name + readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}
