import { encode } from 'uqr';
import { type Html, html } from './page.ts';

/** What a camera wants around a code, in modules. */
const QUIET_ZONE = 4;

/**
 * A code for cameras, as a picture inside the page: black on white in dark mode, too.
 * @param label its text for screen readers
 */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const dark = data.flatMap((row, y) =>
    runsIn(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`),
  );
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
    <rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${dark.join('')}"/></svg>`;
}

/** Dark modules side by side. */
function runsIn(row: readonly boolean[]): { x: number; length: number }[] {
  const line = row.map((isDark) => (isDark ? '#' : ' ')).join('');
  return [...line.matchAll(/#+/g)].map(({ index, 0: run }) => ({ x: index, length: run.length }));
}
