import { openApp } from './app/app.ts';
import { StartError } from './app/runtime.ts';
import { releaseStartMemory } from './app/start-memory.ts';
import { onStopSignal } from './app/stop-signals.ts';
import { SERVICES } from './carriers/registry.ts';
import { configOf, readEnvironment } from './environment.ts';
import { listAlerts, raiseAlert, resolveAlert } from './features/alerts/index.ts';
import { INSTANCE } from './features/schedules/index.ts';
import { systemClock } from './platform/clock.ts';
import { ConfigError } from './platform/config.ts';
import { type ConfigWarning, configWarnings } from './platform/config-warnings.ts';
import type { Database } from './platform/db/database.ts';
import { EmbeddedError } from './platform/db/embedded.ts';
import { createLog, type Log } from './platform/log.ts';

/** Runs the service until SIGTERM or SIGINT, then drains; a second signal ends it at once. */
async function main(): Promise<void> {
  const env = readEnvironment();
  const config = configOf(env);
  const warnings = configWarnings(env, config, SERVICES);
  for (const { message } of warnings) process.stderr.write(`Aviso: ${message}\n`);
  const log = createLog(config.settings.logLevel, config.settings.logLevels);
  const asked = stopAsked(log);
  const app = await openApp(config, { clock: systemClock, log, random: Math.random });
  await keepWarnings(app.database, warnings).catch((err) =>
    log.warn({ err }, 'the warnings of the start are not among the alerts'),
  );
  const { url, metricsUrl } = app;
  log.info({ url, role: config.settings.role, ...(metricsUrl && { metricsUrl }) }, 'ready');
  releaseStartMemory();
  await asked;
  await app.close();
  log.info({}, 'stopped');
}

const ALERT = 'configuration';

/** Raises warnings as alerts of the installation, and resolves those that no longer hold. */
async function keepWarnings(database: Database, warnings: readonly ConfigWarning[]): Promise<void> {
  await database.within(INSTANCE).write(async (scope) => {
    const open = (await listAlerts(scope, { all: false })).filter(({ kind }) => kind === ALERT);
    for (const { subject } of open)
      if (!warnings.some(({ setting }) => setting === subject))
        await resolveAlert(scope, ALERT, subject);
    for (const { setting, message } of warnings)
      await raiseAlert(scope, { kind: ALERT, subject: setting, message });
  });
}

function stopAsked(log: Log): Promise<void> {
  return new Promise((resolve) => {
    onStopSignal(['SIGTERM', 'SIGINT'], (signal) => {
      log.info({ signal }, 'stopping');
      resolve();
    });
  });
}

main().catch((error) => {
  const isForOperator =
    error instanceof ConfigError || error instanceof StartError || error instanceof EmbeddedError;
  process.stderr.write(`${isForOperator ? error.message : (error.stack ?? error)}\n`);
  process.exitCode = 1;
});
