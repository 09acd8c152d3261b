/** The operator's commands, beside an instance or a database of the test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MercadoLibre } from '../../../simulators/mercado_libre/index.ts';
import { runHere } from '../../support/command.ts';
import { type Env, makeFolder } from './ground.ts';
import { type Ending, MASTER_KEY, type Running, startProgram } from './processes.ts';

/**
 * A command in this process: what a process of its own adds is tested by `tests/cli.test.ts`.
 * @throws Error with its output when it fails
 */
export async function runCommand<T>(env: Env, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runHere([...args, '--json'], { MASTER_KEY, ...env });
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${stdout}${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A command in a process of its own. @throws Error with its output when it fails */
export async function runCommandApart<T>(t: Ending, env: Env, args: readonly string[]): Promise<T> {
  const command = launchCommand(t, env, args);
  const code = await command.ended;
  const output = command.lines.join('\n');
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}:\n${output}`);
  return JSON.parse(output) as T;
}

export function launchCommand(t: Ending, env: Env, args: readonly string[]): Running {
  return startProgram(t, 'src/cli.ts', [...args, '--json'], { MASTER_KEY, ...env });
}

/** Connects the simulator's shop, as an operator does. */
export async function connectShop(
  t: Ending,
  env: Env,
  organizationId: string,
  shop: MercadoLibre,
): Promise<void> {
  const file = join(makeFolder(t), 'credentials.json');
  writeFileSync(file, JSON.stringify(shop.credentials()));
  const options = ['--organization', organizationId, '--marketplace', 'mercado_libre'];
  await runCommand(env, ['connect', ...options, '--credentials', file, '--base-url', shop.url]);
}

/** So many orders that a search lists. */
export function placeOrders(shop: MercadoLibre, count: number): void {
  for (let order = 0; order < count; order++) shop.world.pay(shop.world.place().id);
}
