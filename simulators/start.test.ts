import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { orderIdOf } from './mirakl/facts.ts';
import { startSimulators } from './start.ts';

const PROGRAM = fileURLToPath(new URL('start.ts', import.meta.url));

for (const [how, end] of [
  ['its standard input closes', (child: ReturnType<typeof run>) => child.stdin.end()],
  ['it gets SIGTERM', (child: ReturnType<typeof run>) => child.kill('SIGTERM')],
] as const) {
  test(`the program prints where it is, serves a filled shop, and ends cleanly when ${how}`, async () => {
    const child = run();
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url, credentials } = JSON.parse(String(line)).mercado_libre;

    const answer = await fetch(`${url}/orders/search?seller=${credentials.user_id}`, {
      headers: { authorization: `Bearer ${credentials.access_token}` },
    });
    const { paging } = (await answer.json()) as { paging: { total: number } };
    end(child);

    assert.ok(paging.total >= 60);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
}

test('in-process, all simulators share a seed and a clock', async () => {
  const simulators = await startSimulators({ seed: 3, now: () => 1_795_000_000_000 });

  assert.equal(simulators.mercado_libre.world.now(), 1_795_000_000_000);
  await simulators.close();
});

test('Liverpool and Coppel, which run on the same software, give no order number twice', async () => {
  const simulators = await startSimulators({ seed: 3, now: () => 1_795_000_000_000 });
  const worlds = [simulators.all.liverpool, simulators.all.coppel].map(
    (simulator) => simulator?.world,
  );
  for (const world of worlds) world?.fill({ orders: 40, days: 28 });

  const ids = worlds.flatMap((world) => world?.orders().map(orderIdOf) ?? []);
  await simulators.close();

  assert.deepEqual([ids.length, new Set(ids).size], [80, 80]);
});

function run() {
  return spawn(process.execPath, [PROGRAM, '--seed', '5'], { stdio: ['pipe', 'pipe', 'inherit'] });
}
