import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type App, openApp } from '../../src/app/app.ts';
import { configOf } from '../../src/environment.ts';
import { recordOrders } from '../../src/features/orders/index.ts';
import {
  changePlan,
  createOrganization,
  type Organization,
} from '../../src/features/organizations/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { type Agent, anAgent } from '../support/agents.ts';
import { anOrder } from '../support/app.ts';
import { authorizationFaults } from './authorization.ts';
import { inspectorFaults } from './inspector.ts';
import { run } from './programs.ts';
import { openProxy } from './proxy.ts';

// Holds an instance with data against the official suite and the inspector. First: npm ci --prefix
// tests/conformance. Arguments: one scenario of the suite, to be shown whole, and its revision.

const REVISIONS = ['2026-07-28', '2025-11-25'];
const ORDERS = 60;
const REQUESTS_A_MINUTE = 10_000;

const closing = new AsyncDisposableStack();
try {
  const ground = await bootstrapDatabase();
  const proxy = await openProxy(`${ground.instance.url}/mcp`, ground.agent.token);
  closing.defer(proxy.close);
  const [scenario, revision = '2026-07-28'] = process.argv.slice(2);
  const faults = scenario
    ? await one(proxy.url, scenario, revision)
    : await everything(ground, proxy.url);
  for (const fault of faults) process.stderr.write(`✗ ${fault}\n`);
  if (faults.length === 0) process.stdout.write('\n✓ nothing that the baselines do not list\n');
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await closing.disposeAsync();
}

async function everything(
  { agent, instance, organization }: Ground,
  proxied: string,
): Promise<string[]> {
  const faults: string[] = [];
  for (const revision of REVISIONS) {
    const baseline = fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url));
    const results = join(await folder(), revision);
    const options = ['--requirements', revision, '--expected-failures', baseline, '-o', results];
    const { code } = await run('conformance', ['server', '--url', proxied, ...options]);
    if (code !== 0) faults.push(`requirements of ${revision}`);
  }
  faults.push(...(await authorizationFaults(instance, organization)));
  faults.push(...(await inspectorFaults(`${instance.url}/mcp`, agent.token)));
  return faults;
}

async function one(proxied: string, scenario: string, revision: string): Promise<string[]> {
  const options = ['--scenario', scenario, '--spec-version', revision, '--verbose'];
  const { code } = await run('conformance', ['server', '--url', proxied, ...options]);
  return code === 0 ? [] : [scenario];
}

interface Ground {
  readonly instance: App;
  readonly organization: Organization;
  readonly agent: Agent;
}

/**
 * An instance of its own on an embedded database, with orders and an agent that may read all of them.
 */
async function bootstrapDatabase(): Promise<Ground> {
  const dataDir = await folder();
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    MASTER_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: process.env.TEST_LOG ?? 'silent',
  };
  const config = configOf(env);
  const log = createLog(config.settings.logLevel);
  const instance = await openApp(config, { clock: systemClock, log, random: Math.random });
  closing.defer(instance.close);
  const organization = await instance.database.write(async (handle) => {
    const made = await createOrganization(handle, systemClock, {
      name: 'Conformidad',
      plan: 'experto',
    });
    await changePlan(handle, systemClock, {
      organizationId: made.id,
      plan: 'experto',
      quota: REQUESTS_A_MINUTE,
    });
    return made;
  });
  const orders = Array.from({ length: ORDERS }, (_, number) => anOrder({ id: `20000${number}` }));
  await instance.database
    .within(organization.id)
    .write((scope) => recordOrders(scope, orders, instance.exchange.orderListeners));
  const agent = await anAgent(
    { app: instance, clock: systemClock, env, organization },
    { seconds: 3_600 },
  );
  return { instance, organization, agent };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tianguis-conformance-'));
  // A folder closed to others would send root's database to /var/lib.
  await chmod(made, 0o755);
  closing.defer(() => rm(made, { recursive: true, force: true }));
  return made;
}
