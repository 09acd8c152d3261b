import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordOrders } from '../../src/features/orders/index.ts';
import { changePlan, createOrganization } from '../../src/features/organizations/index.ts';
import { openHouse } from '../../src/house.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { readConfig } from '../../src/platform/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Agent, anAgent } from '../support/agents.ts';
import { anOrder } from '../support/house.ts';
import { openProxy } from './proxy.ts';

// Holds a house with data against the official suite and the inspector. First: npm ci --prefix tests/conformance.
// Arguments: one scenario of the suite, to be shown whole, and its revision.

const REVISIONS = ['2026-07-28', '2025-11-25'];
const ORDERS = 60;
const REQUESTS_A_MINUTE = 10_000;
const PROGRAMS = new URL('node_modules/.bin/', import.meta.url);

const closing = new AsyncDisposableStack();
try {
  const { agent, url } = await openGround();
  const proxy = await openProxy(url, agent.token);
  closing.defer(proxy.close);
  const [scenario, revision = '2026-07-28'] = process.argv.slice(2);
  const faults = scenario
    ? await one(proxy.url, scenario, revision)
    : await everything(proxy.url, url, agent);
  for (const fault of faults) process.stderr.write(`✗ ${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await closing.disposeAsync();
}

async function everything(proxied: string, url: string, agent: Agent): Promise<string[]> {
  const faults: string[] = [];
  for (const revision of REVISIONS) {
    const baseline = fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url));
    const results = join(await folder(), revision);
    const options = ['--requirements', revision, '--expected-failures', baseline, '-o', results];
    if ((await run('conformance', ['server', '--url', proxied, ...options])) !== 0)
      faults.push(`requirements of ${revision}`);
  }
  const inspect = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${agent.token}`];
  const called = ['--tool-name', 'list_orders', '--tool-arg', 'limit=2'];
  if ((await run('mcp-inspector', [...inspect, '--method', 'tools/list', '--strict'])) !== 0)
    faults.push('the inspector, tools/list --strict');
  if ((await run('mcp-inspector', [...inspect, '--method', 'tools/call', ...called])) !== 0)
    faults.push('the inspector, tools/call');
  return faults;
}

async function one(proxied: string, scenario: string, revision: string): Promise<string[]> {
  const options = ['--scenario', scenario, '--spec-version', revision, '--verbose'];
  return (await run('conformance', ['server', '--url', proxied, ...options])) === 0 ? [] : [scenario];
}

/** A house of its own on an embedded database, with orders and an agent that may read all of them. */
async function openGround(): Promise<{ agent: Agent; url: string }> {
  const dataDir = await folder();
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
  };
  const config = readConfig(env);
  const log = createLog(config.settings.logLevel);
  const house = await openHouse(config, { clock: systemClock, log, random: Math.random });
  closing.defer(house.close);
  const organization = await house.database.write(async (handle) => {
    const made = await createOrganization(handle, systemClock, { name: 'Conformidad', plan: 'experto' });
    await changePlan(handle, systemClock, {
      organizationId: made.id,
      plan: 'experto',
      quota: REQUESTS_A_MINUTE,
    });
    return made;
  });
  const orders = Array.from({ length: ORDERS }, (_, number) => anOrder({ id: `20000${number}` }));
  await house.database
    .within(organization.id)
    .write((scope) => recordOrders(scope, orders, house.exchange.orderListeners));
  const agent = await anAgent({ house, clock: systemClock, env, organization }, { seconds: 3_600 });
  return { agent, url: `${house.url}/mcp` };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tianguis-conformance-'));
  // A folder closed to others would send root's database to /var/lib.
  await chmod(made, 0o755);
  closing.defer(() => rm(made, { recursive: true, force: true }));
  return made;
}

function run(program: string, args: string[]): Promise<number> {
  process.stdout.write(
    `\n── ${program} ${args.filter((arg) => !arg.startsWith('Authorization')).join(' ')}\n`,
  );
  const file = fileURLToPath(new URL(program, PROGRAMS));
  const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
