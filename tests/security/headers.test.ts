import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SITE_PAGES } from '../../src/platform/site-pages.ts';
import { WHOLE_FILE } from '../spec/support/shop.ts';
import { openApp } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';

// What every answer tells a browser, from any surface and with any status; and what is not served.

const env = { PUBLIC_URL: 'https://panel.example.com' };
const instance = await openApp(WHOLE_FILE, { env, database: await freshDatabase() });
const local = await openApp(WHOLE_FILE);

const ANSWERS: readonly [method: string, path: string, status: number][] = [
  ['GET', '/v1/me', 401],
  ['GET', '/v1/none', 401],
  ['POST', '/v1/orders', 401],
  ['GET', '/v1/openapi.json', 200],
  ['GET', '/manage/v1/exports', 401],
  ['GET', '/healthz', 200],
  ['GET', '/none', 404],
  // Of another host than PUBLIC_URL.
  ['POST', '/mcp', 421],
  ['POST', '/api/webhooks/mercado_libre', 400],
  ['GET', '/docs', 200],
  ['GET', SITE_PAGES.account.path, 303],
  ['GET', '/entrar', 200],
  ['GET', '/registro', 200],
  ['GET', '/privacidad', 200],
  ['GET', '/.well-known/oauth-authorization-server', 200],
];

for (const [method, path, status] of ANSWERS)
  test(`${method} ${path}: https for a year, no sniffing, no frames, no address for others`, async () => {
    const { status: answered, headers } = await ask(instance.url, method, path);
    assert.equal(answered, status);
    assert.match(headers.get('strict-transport-security') ?? '', /^max-age=31536000\b/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'|default-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*'unsafe-(inline|eval)'/);
    assert.equal(headers.get('server'), null);
    assert.equal(headers.get('x-powered-by'), null);
  });

test('over http on loopback nothing promises https', async () => {
  const { headers } = await ask(local.url, 'GET', '/entrar');
  assert.equal(headers.get('strict-transport-security'), null);
});

test('nothing beside the routes is served: no sources, settings, listings, figures or traces', async () => {
  for (const path of [
    '/.git/config',
    '/.env',
    '/package.json',
    '/src/main.ts',
    '/data/',
    '/panel/assets/',
    '/panel/assets/../../../package.json',
    '/panel/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/metrics',
    '/debug',
    '/server-status',
    '/backup',
  ]) {
    const { status, text } = await ask(instance.url, 'GET', path);
    assert.ok([401, 404].includes(status), `${path}: ${status}`);
    assert.doesNotMatch(text, /"dependencies"|MASTER_KEY|import /, path);
  }
});

async function ask(url: string, method: string, path: string) {
  const body = method === 'POST' ? { body: '{}' } : {};
  const answer = await fetch(url + path, { method, redirect: 'manual', ...body });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
