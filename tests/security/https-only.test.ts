import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HAPROXY_CONFIGURATION, noHaproxy } from '../reliability/support/haproxy.ts';
import { freePort } from '../reliability/support/redis.ts';
import { soon } from '../spec/support/soon.ts';

// The proxy of `deploy/`, with the lines that its page says to enable where there is a certificate.

test('over http a program is refused, a person led to https, and certbot answers its authority', {
  skip: noHaproxy,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tianguis-https-'));
  const [port, unused] = [await freePort(), await freePort()];
  const file = join(folder, 'haproxy.cfg');
  const given = await readFile(HAPROXY_CONFIGURATION, 'utf8');
  // Without the certificate's own port: all that arrives is http.
  const enabled = given
    .replace(/^ {2}# {3}bind :::443.*\n/m, '')
    .replace('  #   bind :::80 v4v6', `  bind 127.0.0.1:${port}`)
    .replace(/^ {2}# {3}(?=http-request|use_backend)/gm, '  ');
  await writeFile(file, enabled);
  const certbot = createServer((request, response) => response.end(`certbot ${request.url}`));
  await once(certbot.listen(0, '127.0.0.1'), 'listening');
  t.after(() => certbot.close());
  const env = {
    PATH: process.env.PATH,
    TIANGUIS_BIND: `127.0.0.1:${unused}`,
    TIANGUIS_CERTBOT: `127.0.0.1:${(certbot.address() as AddressInfo).port}`,
  };
  const proxy = spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' });
  t.after(async () => {
    proxy.kill('SIGKILL');
    await once(proxy, 'exit');
    await rm(folder, { recursive: true });
  });
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      redirect: 'manual',
      headers: { authorization: 'Bearer tgs_x' },
    });
  await soon(async () => void (await ask('/entrar')), 10_000);

  for (const path of [
    '/v1/me',
    '/manage/v1/exports',
    '/mcp',
    '/oauth/token',
    '/webhooks/x?secret=y',
  ]) {
    const answer = await ask(path);
    assert.equal(answer.status, 400, path);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, 'invalid_request', path);
    assert.match(error.message, /^Usa https: /);
  }
  for (const path of ['/entrar', '/panel/ordenes?q=1', '/docs']) {
    const answer = await ask(path);
    assert.equal(answer.status, 302, path);
    assert.equal(answer.headers.get('location'), `https://127.0.0.1:${port}${path}`);
  }
  const challenge = '/.well-known/acme-challenge/x';
  assert.equal(await (await ask(challenge)).text(), `certbot ${challenge}`);
});
