import { serviceName } from '../../carriers/registry.ts';
import type { Freshness } from '../../features/connections/index.ts';
import { formatMillis } from '../../platform/time.ts';
import { accountInSentence, type Counted, MOST_ROWS } from './tool.ts';

interface Shown {
  readonly tool: string;
  readonly counted: Counted;
  readonly rows: number;
  readonly hasMore: boolean;
  readonly hasCursor: boolean;
  /** The keys of the answer that say why it is empty. */
  readonly reasons: readonly string[];
  /** Of a part of an answer: which of how many elements. */
  readonly part: Extent | null;
  /** Accounts that are not fresh. */
  readonly stale: readonly Freshness[];
}

/** Elements of an answer's lists, counted from 0. */
interface Extent {
  readonly from: number;
  readonly shown: number;
  readonly total: number;
  readonly isClipped: boolean;
}

const MOST_NAMED = 5;

/** The Spanish line before the data: what it is, how much of it, how to go on, what is old. */
export function headingOf(shown: Shown): string {
  const { counted, rows, part, stale } = shown;
  const [one, many] = counted;
  const what = rows === 0 ? `Sin ${many}` : `${rows} ${rows === 1 ? one : many}`;
  const extent = part ? `; ${extentOf(part)}` : '';
  return [`${what}${extent}.`, restOf(shown), warningOf(stale)].filter(Boolean).join(' ');
}

function restOf({ tool, rows, hasMore, hasCursor, reasons, part }: Shown): string {
  if (hasCursor) return `Hay más: para seguir, llama ${tool} con cursor = pagination.next_cursor.`;
  if (hasMore) return `Hay más: others los suma; limit admite hasta ${MOST_ROWS}.`;
  if (part) return 'Es la última parte.';
  if (rows > 0) return 'No hay más.';
  if (reasons.length === 0) return '';
  return `${reasons.join(' y ')} ${reasons.length === 1 ? 'dice' : 'dicen'} por qué.`;
}

function extentOf({ from, shown, total, isClipped }: Extent): string {
  const range =
    shown === 0
      ? `no quedan elementos de los ${total} de sus listas`
      : `elementos ${from + 1} a ${from + shown} de los ${total} de sus listas`;
  return isClipped ? `${range}, con los textos largos cortados en …` : range;
}

const STATES: Readonly<Record<Freshness['state'], string>> = {
  ok: 'al día',
  delayed: 'atrasada',
  reauth_required: 'hay que volver a conectarla',
  error: 'con error',
  paused: 'en pausa',
  disconnected: 'desconectada',
};

function warningOf(stale: readonly Freshness[]): string {
  if (stale.length === 0) return '';
  const named = stale.slice(0, MOST_NAMED).map(({ service, accountId, state, lastSyncAt }) => {
    const since = lastSyncAt
      ? `sus datos son del ${formatMillis(lastSyncAt)}`
      : 'todavía sin sincronizar';
    const name = serviceName(service);
    return `${name} ${accountInSentence(accountId)} (${STATES[state]}, ${since})`;
  });
  const others = stale.length - named.length;
  const more = others > 0 ? ` y ${others} más, que dice get_account` : '';
  return `Aviso, cuentas que no están al día: ${named.join('; ')}${more}.`;
}
