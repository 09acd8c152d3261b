import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

// Builds the panel into panel/dist, which is not committed. `npm ci` runs it; where the tools are
// missing, as after `npm ci --omit=dev`, the panel that was built before is kept.

const BUILT = new URL('../panel/dist/index.html', import.meta.url);

if (isInstalled('vite')) {
  const { build } = await import('vite');
  await build({
    configFile: new URL('../panel/vite.config.ts', import.meta.url).pathname,
    logLevel: 'warn',
  });
} else if (existsSync(BUILT))
  console.error('The panel is not built again: vite is not installed. panel/dist is kept.');
else
  console.error(
    'The panel is not built: vite is not installed, and there is no panel/dist.\n' +
      'Run «npm ci» with development packages, or copy panel/dist from where it was built.',
  );

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
