import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { callApi, openApp } from './support/app.ts';

test('the documentation page is ours alone: in Spanish, with a strict policy and no foreign address', async (t) => {
  const { url } = await openApp(t);
  for (const path of ['/docs', '/docs/', '/docs?lang=es']) {
    const { status, headers, body } = await ask(`${url}${path}`);
    const page = body.toString();
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.match(page, /<html lang="es-MX">/);
    assert.match(page, /<title>Documentación de la API · Tianguis<\/title>/);
    assert.match(page, /<noscript>/);
    assert.doesNotMatch(page, /https?:|<script(?! src="\/docs\/)/);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self';/,
    );
    for (const name of [
      'x-request-id',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ])
      assert.ok(headers[name], name);
  }
});

test('its script comes compressed, and once: later a tag is enough', {
  tags: ['slow'],
}, async (t) => {
  const { url } = await openApp(t);
  const script = `${url}/docs/scalar.js`;
  const plain = await askPatiently(script);
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.ok(plain.body.length > 1_000_000);
  for (const [accepted, coding, open] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, br;q=0', 'gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await askPatiently(script, { 'accept-encoding': accepted });
    assert.equal(headers['content-encoding'], coding);
    assert.ok(body.length < plain.body.length / 3);
    assert.ok(open(body).equals(plain.body));
  }
  const { etag = '', vary, 'cache-control': cache } = plain.headers;
  assert.deepEqual([vary, cache], ['accept-encoding', 'public, no-cache']);
  const again = await ask(script, { 'if-none-match': etag });
  assert.deepEqual([again.status, again.body.length], [304, 0]);
  const head = await ask(script, {}, 'HEAD');
  assert.deepEqual([head.status, head.body.length, head.headers.etag], [200, 0, etag]);
});

test('beside its files there is nothing, and it only reads', async (t) => {
  const { url } = await openApp(t);
  for (const path of ['/docs/otra', '/docs/../docs/x', '/docs/constructor', '/docs/page.html'])
    assert.equal((await callApi(url, path, {}, {})).status, 404);
  const posted = await callApi(url, '/docs', {}, { method: 'POST' });
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
});

/** The first one has it compressed, which on a busy machine takes longer than a request may. */
async function askPatiently(url: string, headers: Record<string, string> = {}) {
  let answer = await ask(url, headers);
  for (let again = 0; again < 20 && answer.status >= 503; again++) answer = await ask(url, headers);
  return answer;
}

/** Unlike fetch, it leaves the body as it came over the wire. */
async function ask(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const [response] = await once(get(url, { headers, method }), 'response');
  const body = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>));
  return { status: response.statusCode as number, headers: response.headers, body };
}
