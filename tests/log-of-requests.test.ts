import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { before, test } from 'node:test';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { soon } from './spec/support/soon.ts';
import { logInto } from './support/log.ts';
import { type Known, known, openMailingInstance } from './support/people.ts';

// What a service or a caller did is a line of the log; a stack belongs to a defect of ours.

const lines: string[] = [];
let person: Known;
let path = '';
let origin = '';
/** The store's answer; null = none comes. */
let status: number | null = null;
let asked = 0;

before(async () => {
  const store = createServer((_request, response) => {
    asked += 1;
    if (status === null) return;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(store, 'listening');
  WHOLE_FILE.after(() => {
    store.closeAllConnections();
    store.close();
  });
  const { port } = store.address() as { port: number };
  const { instance, folder } = await openMailingInstance(
    WHOLE_FILE,
    undefined,
    { WOOCOMMERCE_BASE_URL: `http://127.0.0.1:${port}`, SECOND_FACTOR: 'deferred' },
    { log: logInto(lines) },
  );
  person = await known(instance, folder);
  origin = instance.url;
  const home = await person.visitor.get('/panel');
  const [organization] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(home.to || home.text) ?? [];
  path = `/panel/api/${organization}/connections.connect`;
});

const TYPED = {
  service: 'woocommerce',
  fields: {
    url: 'https://tienda.example',
    consumer_key: `ck_${'a'.repeat(40)}`,
    consumer_secret: `cs_${'b'.repeat(40)}`,
  },
};

test('credentials that a marketplace refuses are a warning without a stack', async () => {
  status = 401;
  lines.length = 0;
  const answer = await person.visitor.ask(path, TYPED);
  assert.equal(answer.status, 502, answer.text);
  const written = ofLevels();
  assert.deepEqual(
    written.map(({ level }) => level),
    ['warn'],
    lines.join('\n'),
  );
  assert.doesNotMatch(lines.join('\n'), /\\n +at /);
});

test('a caller who left before the answer is no error', async () => {
  status = null;
  lines.length = 0;
  const before = asked;
  const controller = new AbortController();
  const cookie = [...person.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const url = new URL(path, origin);
  const answer = fetch(url, {
    method: 'POST',
    headers: { origin: url.origin, 'content-type': 'application/json', cookie },
    body: JSON.stringify(TYPED),
    signal: controller.signal,
  }).catch(() => null);
  await soon(() => assert.ok(asked > before));
  controller.abort();
  await answer;
  await soon(() => assert.match(lines.join('\n'), /the caller left/));
  assert.deepEqual(
    ofLevels().map(({ level }) => level),
    ['info'],
    lines.join('\n'),
  );
  assert.doesNotMatch(lines.join('\n'), /\\n +at /);
});

/** Lines about the panel's call; those of requests have no level. */
function ofLevels(): { level: string; message: string }[] {
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ level, message }) => level && /panel/.test(message));
}
