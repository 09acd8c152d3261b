import { readEnvironment } from './environment.ts';
import { StartError } from './ground.ts';
import { openHouse } from './house.ts';
import { systemClock } from './platform/clock.ts';
import { ConfigError, readConfig } from './platform/config.ts';
import { EmbeddedError } from './platform/db/embedded.ts';
import { createLog, type Log } from './platform/log.ts';

/** One keypress or one `kill` of a group may arrive twice: by itself, and passed on by npm. */
const ECHO_MS = 1_000;
/** Runs the service until SIGTERM or SIGINT, then drains; a second signal ends it at once. */
async function main(): Promise<void> {
  const config = readConfig(readEnvironment());
  const log = createLog(config.settings.logLevel);
  const asked = stopAsked(log);
  const house = await openHouse(config, { clock: systemClock, log, random: Math.random });
  log.info({ url: house.url, role: config.settings.role }, 'ready');
  await asked;
  await house.close();
  log.info({}, 'stopped');
}

function stopAsked(log: Log): Promise<void> {
  let firstAt: number | null = null;
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        const now = systemClock.monotonic();
        if (firstAt !== null && now - firstAt > ECHO_MS) process.kill(process.pid, 'SIGKILL');
        if (firstAt !== null) return;
        firstAt = now;
        log.info({ signal }, 'stopping');
        resolve();
      });
    }
  });
}

main().catch((error) => {
  const isForOperator =
    error instanceof ConfigError || error instanceof StartError || error instanceof EmbeddedError;
  process.stderr.write(`${isForOperator ? error.message : (error.stack ?? error)}\n`);
  process.exitCode = 1;
});
