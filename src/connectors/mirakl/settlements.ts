import { formatMillis } from '../../platform/time.ts';
import type { Call, Page, SourceMoney, Stream, StreamRequest } from '../contract.ts';
import { type TokenPosition, tokenInPagesOf } from '../token-paging.ts';
import { tooLargeIn } from '../too-large.ts';
import type { MiraklCredentials } from './credentials.ts';
import { CyclePage, readCycle } from './wire.ts';
import { LogPage, readLog } from './wire-movements.ts';

const PAGE_SIZE = 1_000;
const CYCLES = '/seller-billing-cycles';
const LOG = '/sellerpayment/transactions_logs';

/** First the cycles, then the log. */
interface Position extends TokenPosition {
  readonly phase: 'cycles' | 'log';
}

/**
 * Billing cycles: all of them, since their payout's state changes later; once a day, as published.
 * And the rows of the transaction log that changed.
 */
export const settlements: Stream<SourceMoney, MiraklCredentials> = {
  every: { minutes: 24 * 60 },
  overlap: { minutes: 24 * 60 },
  pageSize: PAGE_SIZE,

  async page(call, request) {
    const position = positionOf(request);
    const { token, size } = tokenInPagesOf(request.limit, position);
    const at = { ...position, token, size };
    return position.phase === 'cycles' ? readCycles(call, at) : readMovements(call, request, at);
  },

  /** The oversized page has the token of the next one. */
  async tooLarge(_, request) {
    const { phase } = positionOf(request);
    return phase === 'cycles'
      ? { items: [tooLargeIn('seller-billing-cycles')], next: first('log') }
      : { items: [tooLargeIn('transactions_logs')], next: null };
  },
};

async function readCycles(
  call: Call<MiraklCredentials>,
  { token, size }: Position,
): Promise<Page<SourceMoney>> {
  const { data, next_page_token: next } = await call.get(CYCLES, CyclePage, {
    query: { limit: size, page_token: token ?? undefined },
  });
  return {
    items: data.map(readCycle),
    next: next ? pack({ phase: 'cycles', token: next, size }) : first('log'),
  };
}

async function readMovements(
  call: Call<MiraklCredentials>,
  { window }: StreamRequest,
  { token, size }: Position,
): Promise<Page<SourceMoney>> {
  const { data, next_page_token: next } = await call.get(LOG, LogPage, {
    query: {
      last_updated_from: window.from ? formatMillis(window.from) : undefined,
      limit: size,
      page_token: token ?? undefined,
    },
    rate: 'transactions',
  });
  return {
    items: readLog(data),
    next: next && pack({ phase: 'log', token: next, size }),
  };
}

function positionOf({ position }: StreamRequest): Position {
  return position === null ? JSON.parse(first('cycles')) : JSON.parse(position);
}

function first(phase: Position['phase']): string {
  return pack({ phase, token: null, size: PAGE_SIZE });
}

function pack(position: Position): string {
  return JSON.stringify(position);
}
