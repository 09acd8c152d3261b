import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openBrowser } from '../tests/support/chromium.ts';
import { startDemo } from '../tests/support/demo.ts';

// npm run picture
//
// Takes the picture of Inicio that the README shows, from the filled demo.

const PICTURE = 'docs/images/inicio.png';
const MOST_BYTES = 200_000;
const SIZE = { width: 1366, height: 860 };
const FILLED_WITHIN_MS = 180_000;

const dataDir = mkdtempSync(join(tmpdir(), 'tianguis-picture-'));
// As root the database runs as another user, who needs access.
chmodSync(dataDir, 0o711);
const demo = await startDemo(dataDir);
const ends: (() => unknown)[] = [];
try {
  const context = await openBrowser(
    { after: (end) => ends.push(end as () => unknown) },
    { viewport: SIZE },
  );
  const page = await context.newPage();
  const [link] = /http\S+\/demo\/entrar\?clave=\S+/.exec(demo.output()) ?? [];
  if (!link) throw new Error('the demo gave no link');
  await page.goto(link);
  await page.getByRole('heading', { level: 1, name: 'Inicio' }).waitFor();
  await page.getByText('Cuentas conectadas').waitFor();
  // The slowest import ends last.
  await page
    .getByText('sin datos todavía')
    .first()
    .waitFor({ state: 'detached', timeout: FILLED_WITHIN_MS });
  await page.locator('.ghost').first().waitFor({ state: 'detached' });
  const picture = await page.screenshot();
  if (picture.length > MOST_BYTES)
    throw new Error(`${picture.length} bytes; ${MOST_BYTES} are the most`);
  mkdirSync(dirname(PICTURE), { recursive: true });
  writeFileSync(PICTURE, picture);
  console.log(`${PICTURE}: ${picture.length} bytes`);
} finally {
  for (const end of ends) await end();
  await demo.stop('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
