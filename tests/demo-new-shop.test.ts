import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, startDemo } from './support/demo.ts';
import { openPanel } from './support/panel.ts';
import { confirm, register } from './support/people.ts';
import { openVisitor, type Visitor } from './support/visitor.ts';

// What a person does with the demo: a shop of their own from its first words, and many guides.

const EMAIL = 'persona.nueva@tienda.example';
const READY = 12;

test('with what the demo prints a new shop connects by consent and by typing; its own shop has parcels that are ready', {
  tags: ['slow'],
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tianguis-new-shop-'));
  // As root the database runs as another user, who needs access.
  await chmod(dataDir, 0o711);
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const demo = await startDemo(dataDir);
  t.after(() => demo.stop('SIGTERM'));
  const words = demo.output();
  const [, url = ''] = /crea otra cuenta en (\S+)\/registro /.exec(words) ?? [];
  const [, client_id = '', client_secret = ''] =
    /Walmart +Client ID (\S+), Client Secret (\S+)/.exec(words) ?? [];
  const [link = ''] = /http\S+\/demo\/entrar\?clave=\S+/.exec(words) ?? [];

  const owner = openVisitor(url);
  await owner.get(link);
  const { data: lines } = await shopOf(owner).read('lines.list', {
    readiness: 'ready',
    limit: 100,
  });
  t.diagnostic(`${lines.length} lines are ready`);
  assert.ok(lines.length >= READY, `${lines.length} lines are ready`);

  const visitor = openVisitor(url);
  await register(visitor, EMAIL);
  await confirm(visitor, EMAIL, join(dataDir, 'mail'));
  const shop = shopOf(visitor);
  const fields = { client_id, client_secret };
  const typed = await shop.write('connections.connect', { service: 'walmart', fields });
  assert.deepEqual(typed.faults, []);
  const { address } = await shop.write('connections.begin-consent', {
    marketplace: 'mercado_libre',
  });
  const { to } = await visitor.get(address);
  assert.match((await visitor.get(to)).to, /conectada=mercado_libre/);
  for (const marketplace of ['walmart', 'mercado_libre'])
    await eventually(`orders of ${marketplace}`, async () => {
      const { data } = await shop.read('orders.list', { marketplace });
      return data.length > 0;
    });
});

/** The panel of the visitor's only organisation. */
function shopOf(visitor: Visitor) {
  let organizationId = '';
  const panel = openPanel(() => organizationId);
  const known = { visitor, email: '', personId: '', address: visitor.address };
  async function asked(name: string, input: object, kind: 'read' | 'write') {
    const home = await visitor.get('/panel');
    organizationId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(home.to || home.text)?.[0] ?? '';
    const { status, body } = await panel.ask(known, name, input, kind);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  return {
    read: (name: string, input: object) => asked(name, input, 'read'),
    write: (name: string, input: object) => asked(name, input, 'write'),
  };
}
