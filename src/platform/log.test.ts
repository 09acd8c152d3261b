import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

/** What a process writes that does this with a log, and then ends at once. */
function linesOf(work: string, level = 'info', levels = {}): Record<string, unknown>[] {
  const script = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    const log = createLog('${level}', ${JSON.stringify(levels)});
    ${work}
    setImmediate(() => process.exit(1));`;
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
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

  assert.deepEqual(line, {
    level: 'info',
    time: '2026-11-21T02:07:38.596Z',
    ...fields,
    msg: 'request',
  });
  assert.deepEqual({ ...other, time: line?.time }, line);
});

test('a part has its own level, and its lines name it', () => {
  const work = `
    for (const part of [log, log.of('sync'), log.of('http'), log.of('wire')])
      for (const level of ['debug', 'info', 'warn']) part[level]({}, level);
    log.of('http').request(0, { status: 200 });
    log.of('sync').request(0, { status: 200 });`;
  const shown = (level: string, levels: object) =>
    linesOf(work, level, levels).map(({ part, msg }) => `${part ?? 'all'} ${msg}`);

  assert.deepEqual(shown('info', { sync: 'debug', http: 'warn' }), [
    ...['all info', 'all warn'],
    ...['sync debug', 'sync info', 'sync warn'],
    'http warn',
    ...['wire info', 'wire warn'],
    'sync request',
  ]);
  assert.deepEqual(shown('silent', { http: 'info' }), ['http info', 'http warn', 'http request']);
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

test('a silent log opens nothing that wakes the process', () => {
  const lines = linesOf(
    `
    import fs from 'node:fs';
    let writes = 0;
    const { write } = fs;
    fs.write = (...given) => { writes++; write(...given); };
    log.error({}, 'not shown');
    log.request(0, {});
    await new Promise((resolve) => setTimeout(resolve, 400));
    console.error(JSON.stringify({ writes }));`,
    'silent',
  );

  assert.deepEqual(lines, [{ writes: 0 }]);
});

test('while the output is blocked, the log’s buffer has a bound; one line counts the dropped lines', {
  tags: ['slow'],
  timeout: 40_000,
}, async (t) => {
  const [total, bound] = [100_000, 8_000_000];
  const script = `
    import { createLog } from ${JSON.stringify(import.meta.resolve('./log.ts'))};
    import { setImmediate as turn } from 'node:timers/promises';
    const log = createLog('info');
    for (let number = 0; number < ${total}; number++) {
      log.info({ number, pad: '${'x'.repeat(200)}' }, 'one');
      if (number % 1_000 === 0) await turn();
    }
    process.stdout.write('written');
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script]);
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');

  let bytes = 0;
  const lines: { number?: number; lines?: number; level: string }[] = [];
  for await (const line of createInterface(child.stderr)) {
    bytes += line.length + 1;
    lines.push(JSON.parse(line));
    const last = lines.at(-1);
    if (last?.lines !== undefined || last?.number === total - 1) child.stdin.end();
  }

  const reported = lines.filter((line) => line.lines !== undefined);
  assert.equal(reported.length, 1);
  assert.equal(reported[0]?.level, 'warn');
  assert.equal(
    (reported[0]?.lines ?? 0) + lines.length - 1,
    total,
    'each line is written or counted',
  );
  // Besides what waits: the chunk that is being written, and what the pipe itself holds.
  assert.ok(bytes < bound + 1_000_000, `${bytes} bytes waited`);
});
