import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** What a process writes that does this with a log, and then ends at once. */
function linesOf(work: string): Record<string, unknown>[] {
  const script = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    const log = createLog('info');
    ${work}
    setImmediate(() => process.exit(1));`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('the line of a request is like any other, whatever the request was called', () => {
  const fields = {
    request: 'req_1',
    method: 'GET',
    path: '/v1/"\\\n\u2028{',
    status: 404,
    milliseconds: 0.4,
  };

  const [line, other] = linesOf(`
    log.request(1795226858596, ${JSON.stringify({ ...fields, organization: undefined })});
    log.info(${JSON.stringify(fields)}, 'request');`);

  assert.deepEqual(line, { level: 'info', time: '2026-11-21T02:07:38.596Z', ...fields, msg: 'request' });
  assert.deepEqual({ ...other, time: line?.time }, line);
});

test('what a field calls a secret is never shown', () => {
  const secrets = { token: 'a', secret: 'b', credentials: { key: 'c' }, authorization: 'd' };

  const lines = linesOf(`
    log.warn(${JSON.stringify(secrets)}, 'shut');
    log.warn(${JSON.stringify({ request: secrets })}, 'shut');`);

  const hidden = {
    token: '[oculto]',
    secret: '[oculto]',
    credentials: '[oculto]',
    authorization: '[oculto]',
  };
  assert.deepEqual(
    lines.map(({ time, ...line }) => line),
    [
      { level: 'warn', ...hidden, msg: 'shut' },
      { level: 'warn', request: hidden, msg: 'shut' },
    ],
  );
});

test('what was logged last is written, also of many logs and by a process that ends at once', () => {
  const lines = linesOf(`
    for (let number = 0; number < 12; number++) createLog('info').info({ number }, 'one');
    for (let number = 12; number < 400; number++) log.info({ number }, 'one');`);

  assert.deepEqual(
    lines.map(({ number }) => number).sort((a, b) => Number(a) - Number(b)),
    Array.from({ length: 400 }, (_, number) => number),
  );
});
