import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

// Builds the panel into panel/dist, which is not committed. `npm ci` runs it; where the tools are
// missing, as after `npm ci --omit=dev`, the panel that was built before is kept.

const BUILT = new URL('../panel/dist/index.html', import.meta.url);

if (isInstalled('vite')) {
  const { build } = await import('vite');
  await build({
    configFile: new URL('../panel/vite.config.ts', import.meta.url).pathname,
    logLevel: 'warn',
  });
  await compressAssets();
} else if (existsSync(BUILT))
  console.error('The panel is not built again: vite is not installed. panel/dist is kept.');
else
  console.error(
    'The panel is not built: vite is not installed, and there is no panel/dist.\n' +
      'Run «npm ci» with development packages, or copy panel/dist from where it was built.',
  );

/** As small as Brotli can, which takes too long for the first request. */
async function compressAssets(): Promise<void> {
  const folder = new URL('assets/', BUILT);
  const names = await readdir(folder);
  await Promise.all(
    names.map(async (name) => {
      const content = await readFile(new URL(name, folder));
      const compressed = await promisify(brotliCompress)(content, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        },
      });
      await writeFile(new URL(`${name}.br`, folder), compressed);
    }),
  );
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
