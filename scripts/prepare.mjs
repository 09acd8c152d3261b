import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';

// After `npm ci`, on whatever Node npm runs on: builds the panel on the project's own Node. npm 9 and
// 10 install that Node and do not link it, because packages of other systems have the same command.

const LINK = new URL('../node_modules/.bin/node', import.meta.url);
const PACKAGES = new URL('../node_modules/', import.meta.url);

if (!existsSync(LINK)) {
  const owner = readdirSync(PACKAGES).find(
    (name) => name.startsWith('node-') && existsSync(new URL(`${name}/bin/node`, PACKAGES)),
  );
  if (!owner) throw new Error('No package of Node is installed for this system.');
  mkdirSync(new URL('.bin/', PACKAGES), { recursive: true });
  symlinkSync(`../${owner}/bin/node`, LINK);
}
const { status } = spawnSync(LINK.pathname, ['scripts/build-panel.ts'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
