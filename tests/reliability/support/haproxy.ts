/** The proxy of `deploy/`, as its page installs it. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const HAPROXY_CONFIGURATION = fileURLToPath(
  new URL('../../../deploy/haproxy/haproxy.cfg', import.meta.url),
);
/** Why a test is skipped that needs it; false = it is there. */
export const noHaproxy =
  spawnSync('haproxy', ['-v']).status === 0 ? false : 'needs HAProxy: no haproxy is found';
