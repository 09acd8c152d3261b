import type { Output } from '../../client.ts';
import { LINE_TONES, lineStates, warehouseWords } from './words.ts';

type Line = Output<'lines.list'>['data'][number];

interface ScanAnswerProps {
  readonly number: string;
  readonly lines: readonly Line[];
  readonly onOpen: (line: Line) => void;
}

/** What the scanned number is, to be read from a metre. */
export function ScanAnswer({ number, lines, onOpen }: ScanAnswerProps) {
  const [only] = lines;
  if (lines.length !== 1 || !only)
    return (
      <div className={`scan-answer ${lines.length === 0 ? 'scan-bad' : 'scan-warn'}`} role="status">
        <p className="scan-word">
          {lines.length === 0
            ? warehouseWords.noSuch(number)
            : warehouseWords.several(lines.length)}
        </p>
        <ul>
          {lines.map((line) => (
            <li key={line.line_id}>
              <button type="button" className="link-button" onClick={() => onOpen(line)}>
                {ordersOf(line)}
              </button>
            </li>
          ))}
        </ul>
      </div>
    );
  return (
    <div className={`scan-answer scan-${LINE_TONES[only.state]}`} role="status">
      <p className="scan-word">{wordOf(only)}</p>
      <p>
        {ordersOf(only)} · {goodsOf(only)}
      </p>
      <button type="button" className="link-button" onClick={() => onOpen(only)}>
        {warehouseWords.seeLine}
      </button>
    </div>
  );
}

export function ordersOf({ orders, pack_id }: Pick<Line, 'orders' | 'pack_id'>): string {
  const [first] = orders;
  if (pack_id !== null && orders.length > 1) return pack_id;
  return first?.id ?? pack_id ?? '';
}

export function goodsOf({ orders }: Pick<Line, 'orders'>): string {
  const [first, ...rest] = orders.flatMap(({ items }) => items);
  if (!first) return '';
  const text = warehouseWords.pieces(first.quantity, first.title);
  return rest.length > 0 ? `${text} ${warehouseWords.andMore(rest.length)}` : text;
}

function wordOf({ state, tracking_number }: Line): string {
  if (state !== 'staged') return lineStates[state];
  return tracking_number === null ? warehouseWords.noGuide : tabsWord(tracking_number);
}

function tabsWord(tracking: string): string {
  return `${warehouseWords.guide} ${tracking}`;
}
