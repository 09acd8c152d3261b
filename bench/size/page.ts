import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Crowd } from './crowd.ts';
import type { Measured } from './measure.ts';

const PAGE = 'docs/size.md';
const BEGIN = '<!-- size -->';
const END = '<!-- end of size -->';

/** Writes the figures between the two marks of the page. */
export function writePage(
  crowd: Crowd,
  size: { readonly total: number; readonly anOrder: number; readonly largest: string },
  rows: readonly Measured[],
  extrapolation: readonly string[],
): void {
  const when = Temporal.Now.instant().toString({ smallestUnit: 'minute' });
  const load = loadavg().map((value) => value.toFixed(1));
  const lines = [
    BEGIN,
    '',
    `Measured ${when} on ${cpus().length} cores (load average ${load.join(', ')}), Node ${process.version}: ` +
      `${crowd.organizations} organisations, ${crowd.connections} accounts, ${crowd.orders} orders, ` +
      `${(size.total / 1e9).toFixed(1)} GB of tables and indexes: **${size.anOrder} bytes an order** (${size.largest}).`,
    '',
    '| what | figure | bar | |',
    '|---|---|---|---|',
    ...rows.map(
      ({ what, figure, bar, passes }) =>
        `| ${what} | ${figure} | ${bar} | ${passes ? 'holds' : '**fails**'} |`,
    ),
    '',
    '## 100,000 organisations and a billion orders',
    '',
    ...extrapolation,
    '',
    END,
  ];
  const page = readFileSync(PAGE, 'utf8');
  const before = page.slice(0, page.indexOf(BEGIN));
  const after = page.slice(page.indexOf(END) + END.length);
  writeFileSync(PAGE, `${before}${lines.join('\n')}${after}`);
}
