import { once } from 'node:events';
import { createServer } from 'node:net';
import type { App } from '../../src/app/app.ts';
import type { Organization } from '../../src/features/organizations/index.ts';
import { makeUser } from '../../src/features/people/index.ts';
import { consent, register } from '../support/agent-client.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { run } from './programs.ts';

const SCENARIOS = ['authorization-server-metadata-endpoint', 'authorization-code-grant'];
const EMAIL = 'conformidad@tienda.example';
const PASSWORD = 'cuatro tazas azules';

/**
 * The suite's scenarios for authorization servers. It prints an address, which a person opens who
 * signs in and agrees.
 * @returns what went wrong
 */
export async function authorizationFaults(
  instance: App,
  organization: Organization,
): Promise<string[]> {
  const issuer = instance.exchange.publicUrl;
  const port = await freePort();
  const callback = `http://127.0.0.1:${port}/callback`;
  const { body } = await register(
    { url: issuer },
    { client_name: 'conf', redirect_uris: [callback] },
  );
  const person = await letIn(instance, organization);
  const faults: string[] = [];
  let isAnswered = false;
  const onOutput = (said: string) => {
    const [asked] = said.includes('Waiting up to')
      ? (/^http\S+client_id=\S+$/m.exec(said) ?? [])
      : [];
    if (isAnswered || !asked) return;
    isAnswered = true;
    consent(person, asked)
      .then((back) => fetch(back))
      .catch((error) => {
        faults.push(`the person could not agree: ${error}`);
        // Else the suite would wait for five minutes.
        return fetch(`${callback}?error=access_denied`);
      });
  };
  const client = [
    '--client-id',
    body.client_id,
    '--port',
    String(port),
    '--resource',
    `${issuer}/mcp`,
  ];
  const { code, output } = await run('conformance', ['authorization', '--url', issuer, ...client], {
    onOutput,
  });
  if (code !== 0) faults.push('the authorization server');
  for (const scenario of SCENARIOS)
    if (!new RegExp(`✓ ${scenario}: [1-9]\\d* passed, 0 failed`).test(output))
      faults.push(`${scenario}: nothing was checked`);
  return faults;
}

/** A person of the organisation, signed in. */
async function letIn({ database, exchange }: App, { id }: Organization): Promise<Browser> {
  const { token } = await database
    .within(id)
    .write((scope) => makeUser(scope, { email: EMAIL, role: 'owner' }));
  const browser = openBrowser();
  const at = (path: string) => `${exchange.publicUrl}${path}`;
  await browser.post(at('/restablecer'), [
    ['token', token],
    ['contrasena', PASSWORD],
  ]);
  await browser.post(at('/entrar'), [
    ['correo', EMAIL],
    ['contrasena', PASSWORD],
  ]);
  return browser;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
