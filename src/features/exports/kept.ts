/** Exports that the service makes in the background and keeps for some days. */
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { type Instant, isDay } from '../../platform/time.ts';
import { settlementOf } from '../balances/index.ts';
import { lockOrganization } from '../organizations/index.ts';
import { type Doer, noteAct } from '../trail/index.ts';
import { CHUNK_BYTES, chunkOf, gone } from './chunk.ts';
import type { ExportResult } from './export-request.ts';
import { EXPORTS, type Exported } from './exports.ts';
import { FORMATS, type FormatName } from './formats.ts';
import * as store from './store-kept.ts';
import type { ExportTerms } from './terms.ts';
import { TITLES } from './words.ts';

/** Waiting or being made, of one organisation. */
const MOST_OPEN = 3;
/** Kept, of one organisation. */
const MOST_KEPT = 20;
/** After so many processes that did not end it, it is given up. */
const MOST_TRIES = 10;

export interface KeptExport {
  readonly id: string;
  readonly what: Exported;
  readonly format: FormatName;
  readonly terms: ExportTerms;
  readonly state: store.KeptRow['state'];
  /** Why it failed; null = it did not. */
  readonly failure: store.KeptRow['failure'];
  /** So far. */
  readonly rows: number;
  readonly bytes: number;
  /** ISO 8601: the rows are as they were then; null = no row was read yet. */
  readonly asOf: string | null;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  /** Then it is deleted. */
  readonly expiresAt: Instant;
}

/** An export as it is asked for. */
interface ExportWish {
  readonly id: string;
  readonly what: string;
  readonly format: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly marketplace?: string | null;
  /** Of that marketplace. */
  readonly payout?: ExportTerms['payout'];
  readonly view: ExportTerms['view'];
}

/**
 * Asks for an export. One with that id that is there already is left as it is.
 * @returns whether it is new, so that its job is to be queued
 * @throws Failure invalid_request, export_limit_reached
 */
export async function askForExport(
  scope: WriteScope,
  by: Doer,
  wish: ExportWish,
): Promise<{ readonly kept: KeptExport; readonly isNew: boolean }> {
  const { id, what, format, from, to, marketplace, payout, view } = readWish(wish);
  await lockOrganization(scope);
  const all = await store.all(scope);
  const known = all.find((row) => row.id === id);
  if (known) return { kept: keptOf(known), isNew: false };
  if (marketplace && payout && !(await settlementOf(scope, { marketplace, ...payout })))
    throw fail('not_found', { message: 'No encontramos ese pago.' });
  const open = all.filter(({ state }) => state === 'queued' || state === 'running');
  if (open.length >= MOST_OPEN) throw fail('export_limit_reached');
  if (all.length >= MOST_KEPT)
    throw fail('export_limit_reached', {
      message: `Se guardan hasta ${MOST_KEPT} exportaciones. Elimina alguna para pedir otra.`,
    });
  await store.add(scope, {
    id,
    what,
    format,
    from_day: from,
    to_day: to,
    marketplace,
    account_id: payout?.accountId ?? null,
    payout_id: payout?.id ?? null,
    has_earnings: view === 'whole',
    created_at: scope.clock.now(),
  });
  await noteAct(scope, by, 'export_requested', { subject: id, label: `${what} ${format}` });
  return { kept: await getExport(scope, id), isNew: true };
}

/** Newest first. */
export async function listExports(scope: ReadScope): Promise<KeptExport[]> {
  return (await store.all(scope)).map(keptOf);
}

/** @throws Failure not_found */
export async function getExport(scope: ReadScope, id: string): Promise<KeptExport> {
  const row = await store.one(scope, id);
  if (row) return keptOf(row);
  throw gone();
}

/** A process that is making it stops. @throws Failure not_found */
export async function deleteExport(scope: WriteScope, by: Doer, id: string): Promise<void> {
  const { what, format } = await getExport(scope, id);
  await store.remove(scope, id);
  await noteAct(scope, by, 'export_deleted', { subject: id, label: `${what} ${format}` });
}

/** The person or key that takes the file is in the trail. @throws Failure not_found */
export async function noteDownload(scope: WriteScope, by: Doer, id: string): Promise<void> {
  const { what, format } = await getExport(scope, id);
  await noteAct(scope, by, 'export_downloaded', { subject: id, label: `${what} ${format}` });
}

/**
 * Some bytes of a whole export, chunk by chunk.
 * @param read each chunk is read by itself: a slow reader holds nothing
 * @param to the first byte that is not wanted
 */
export async function* bytesOf(
  read: <T>(work: (scope: ReadScope) => Promise<T>) => Promise<T>,
  id: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  for (let at = Math.floor(from / CHUNK_BYTES); at * CHUNK_BYTES < to; at++) {
    const chunk = await read((scope) => chunkOf(scope, id, at));
    const begin = at * CHUNK_BYTES;
    yield chunk.subarray(Math.max(from - begin, 0), to - begin);
  }
}

function keptOf(row: store.KeptRow): KeptExport {
  const { id, state, failure, rows, bytes } = row;
  const view = row.has_earnings ? 'whole' : 'without earnings';
  return {
    id,
    state,
    failure,
    rows,
    bytes,
    asOf: row.as_of,
    what: row.what as Exported,
    format: row.format as FormatName,
    terms: { from: row.from_day, to: row.to_day, ...narrowedOf(row), view },
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    expiresAt: row.created_at.add({ hours: 24 * store.KEEP_DAYS }),
  };
}

function narrowedOf({ marketplace, account_id: accountId, payout_id: id }: store.KeptRow) {
  return {
    marketplace: marketplace as Marketplace | null,
    payout: accountId === null || id === null ? null : { accountId, id },
  };
}

function readWish(wish: ExportWish) {
  const what = nameIn<Exported>(EXPORTS, 'what', wish.what);
  const format = nameIn<FormatName>(FORMATS, 'format', wish.format);
  const { from, to } = wish;
  for (const [name, day] of [['from', from] as const, ['to', to] as const])
    if (day !== null && !isDay(day)) throw invalid(name, 'El día se escribe como 2026-11-20.');
  if (from !== null && to !== null && from > to)
    throw invalid('to', 'El último día no puede ser anterior al primero.');
  if (EXPORTS[what].days === null && (from !== null || to !== null))
    throw invalid('from', `«${TITLES[what]}» se exporta como está ahora, sin periodo.`);
  return { ...wish, what, format, ...readNarrowed(what, wish) };
}

/** @throws Failure invalid_request */
function readNarrowed(what: Exported, wish: ExportWish) {
  const { marketplace: given = null, payout = null } = wish;
  if (given === null && payout === null) return { marketplace: null, payout };
  const marketplace = MARKETPLACES.find((one) => one === given);
  if (!marketplace)
    throw invalid('marketplace', `Los valores posibles son: ${MARKETPLACES.join(', ')}.`);
  if (!EXPORTS[what].isByMarketplace)
    throw invalid('marketplace', `«${TITLES[what]}» se exporta de todos los marketplaces.`);
  if (payout !== null && what !== 'payout_lines')
    throw invalid('what', `De un solo pago se exporta «${TITLES.payout_lines}».`);
  return { marketplace, payout };
}

function nameIn<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  param: string,
  given: string,
): Name {
  if (Object.hasOwn(table, given)) return given as Name;
  throw invalid(param, `Los valores posibles son: ${Object.keys(table).join(', ')}.`);
}

/**
 * Before a process makes it.
 * @returns null where it is over, was deleted, or was begun too often, which ends it
 */
export async function makeReady(scope: WriteScope, id: string): Promise<KeptExport | null> {
  const row = await store.begin(scope, id);
  if (!row) return null;
  if (row.tries <= MOST_TRIES) return keptOf(row);
  await failExport(scope, id, 'interrupted');
  return null;
}

/** How far it is. @throws Failure not_found where it was deleted */
export async function noteExport(scope: WriteScope, id: string, rows: number): Promise<void> {
  if (!(await store.noteRows(scope, id, rows))) await getExport(scope, id);
}

export function endExport(scope: WriteScope, id: string, result: ExportResult): Promise<void> {
  return store.finish(scope, id, result);
}

/** What was written of it is deleted. */
export function failExport(
  scope: WriteScope,
  id: string,
  failure: 'disk_full' | 'interrupted',
): Promise<void> {
  return store.failed(scope, id, failure);
}
