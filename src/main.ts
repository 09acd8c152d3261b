import { openHouse, StartError } from './house.ts';
import { systemClock } from './platform/clock.ts';
import { ConfigError, readConfig } from './platform/config.ts';
import { EmbeddedError } from './platform/db/embedded.ts';
import { createLog } from './platform/log.ts';

/** Starts the service and stops it on SIGTERM or SIGINT; a second signal ends it at once. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.settings.logLevel);
  const house = await openHouse(config, { clock: systemClock, log, random: Math.random });
  log.info({ url: house.url, role: config.settings.role }, 'ready');

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info({ signal }, 'stopping');
      process.once(signal, () => process.kill(process.pid, 'SIGKILL'));
      house.close().then(
        () => log.info({}, 'stopped'),
        (error) => {
          log.error({ err: error }, 'not stopped cleanly');
          process.exitCode = 1;
        },
      );
    });
  }
}

main().catch((error) => {
  const isForOperator =
    error instanceof ConfigError || error instanceof StartError || error instanceof EmbeddedError;
  process.stderr.write(`${isForOperator ? error.message : (error.stack ?? error)}\n`);
  process.exitCode = 1;
});
