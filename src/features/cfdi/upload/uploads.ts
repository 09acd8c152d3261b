import { ahead } from '../../../platform/ahead.ts';
import type { OrganizationDatabase, ReadScope, WriteScope } from '../../../platform/db/database.ts';
import { storeInParts } from '../../../platform/db/in-parts.ts';
import { together } from '../../../platform/db/pipeline.ts';
import { fail } from '../../../platform/failure.ts';
import { newId } from '../../../platform/ids.ts';
import type { OrderListener } from '../../orders/index.ts';
import { lockOrganization } from '../../organizations/index.ts';
import { recordCfdis } from '../cfdis.ts';
import type { DocumentReader, ReadDocument } from '../xml/reading.ts';
import { DocumentRefusal } from '../xml/refusal.ts';
import type { PackedContent, PackedFile, RefusedFile } from './files.ts';
import * as store from './store-uploads.ts';

/** How far an upload is; each file ends in one of the last three counts. */
export interface Upload {
  readonly id: string;
  readonly files: number;
  readonly waiting: number;
  readonly added: number;
  /** Their folios were stored before. */
  readonly known: number;
  readonly refused: number;
  readonly errors: readonly FileError[];
}

interface FileError {
  readonly file: string;
  /** A `RefusalReason`. */
  readonly reason: string;
  readonly message: string;
}

const WAITING = { state: 'waiting', reason: null, message: null } as const;
const REFUSED = { state: 'refused', size: 0, crc: 0, packed_box: null } as const;

/** Of one batch. A killed process reads three of them again at most. */
const FILES_AT_ONCE = 100;
const BYTES_AT_ONCE = 8 * 1_024 * 1_024;
/** One is made ready here while the database stores the other. */
const STORED_AT_ONCE = 2;

/**
 * Of one organisation, packed: five archives with the most files, or four of the largest. One
 * upload alone is below both.
 */
const MOST_WAITING_FILES = 10_000;
const MOST_WAITING_BYTES = 128 * 1_024 * 1_024;

/**
 * Keeps the files of an upload until `readUpload` reads them.
 * @returns its id
 * @throws Failure cfdi_upload_limit_reached
 */
export async function keepUpload(
  scope: WriteScope,
  files: readonly (PackedFile | RefusedFile)[],
): Promise<string> {
  await requireRoom(scope, files);
  const id = newId();
  const vault = await scope.vault();
  const rows = files.map((file, index) => {
    const name_box = vault.seal(bindingOf(id, index, 'name'), Buffer.from(file.name));
    if ('refusal' in file)
      return { ...REFUSED, ...refusalIn(file.refusal), place: index, name_box };
    const { size, crc, packed } = file;
    const packed_box = vault.seal(bindingOf(id, index, 'content'), packed);
    return { ...WAITING, place: index, name_box, size, crc, packed_box };
  });
  await store.add(scope, id, rows);
  return id;
}

/** Uploads at one moment count each other. */
async function requireRoom(
  scope: WriteScope,
  files: readonly (PackedFile | RefusedFile)[],
): Promise<void> {
  await lockOrganization(scope);
  const waiting = await store.waiting(scope);
  const bytes = files.reduce((sum, one) => sum + ('packed' in one ? one.packed.length : 0), 0);
  const isFull =
    waiting.files + files.length > MOST_WAITING_FILES || waiting.bytes + bytes > MOST_WAITING_BYTES;
  if (isFull) throw fail('cfdi_upload_limit_reached');
}

/** Null = there is none with this id. */
export async function uploadOf(scope: ReadScope, id: string): Promise<Upload | null> {
  if (!(await store.exists(scope, id))) return null;
  const counts = await store.counts(scope, id);
  const vault = await scope.vault();
  const refused = await store.refused(scope, id);
  const of = (state: store.FileState) => counts.get(state) ?? 0;
  return {
    id,
    files: [...counts.values()].reduce((sum, files) => sum + files, 0),
    waiting: of('waiting'),
    added: of('new'),
    known: of('known'),
    refused: of('refused'),
    errors: refused.map(({ place, name_box, reason, message }) => ({
      file: vault.open(bindingOf(id, place, 'name'), name_box).toString(),
      reason,
      message,
    })),
  };
}

/**
 * Reads the files of an upload that still wait, batch by batch; some are stored while the next ones
 * are read. The results of a batch, and what it adds, are one transaction: a process that is killed
 * loses and doubles nothing.
 */
export async function readUpload(
  organization: OrganizationDatabase,
  reader: DocumentReader,
  id: string,
  listeners: readonly OrderListener[],
): Promise<void> {
  const read = ahead(readFiles(reader, ahead(waitingFiles(organization, id))));
  const storing = Array.from({ length: STORED_AT_ONCE }, async () => {
    for await (const files of read) await settleInParts(organization, id, files, listeners);
  });
  await together(storing);
}

interface WaitingFile extends PackedContent {
  readonly place: number;
}

interface ReadFile {
  readonly place: number;
  readonly result: ReadDocument | DocumentRefusal;
}

async function* readFiles(
  reader: DocumentReader,
  batches: AsyncIterable<readonly WaitingFile[]>,
): AsyncGenerator<ReadFile[]> {
  for await (const files of batches) {
    const results = await reader.readPacked(files);
    yield files.map(({ place }, at) => ({ place, result: results[at] as ReadFile['result'] }));
  }
}

async function* waitingFiles(
  organization: OrganizationDatabase,
  id: string,
): AsyncGenerator<WaitingFile[]> {
  for (let last = -1; ; ) {
    const files = await organization.read((scope) => nextFiles(scope, id, last));
    if (files.length === 0) return;
    last = files.at(-1)?.place ?? last;
    yield files;
  }
}

async function nextFiles(scope: ReadScope, id: string, after: number): Promise<WaitingFile[]> {
  const rows = await store.next(scope, id, after, BYTES_AT_ONCE, FILES_AT_ONCE);
  const vault = await scope.vault();
  return rows.map(({ place, size, crc, packed_box }) => ({
    place,
    size,
    crc,
    packed: vault.open(bindingOf(id, place, 'content'), packed_box),
  }));
}

/** A file whose data the database refuses is refused, and does not delay the others. */
async function settleInParts(
  organization: OrganizationDatabase,
  id: string,
  found: readonly ReadFile[],
  listeners: readonly OrderListener[],
): Promise<void> {
  const settleSome = (files: readonly ReadFile[]) =>
    organization.write((scope) => settle(scope, id, files, listeners));
  const refused = await storeInParts(found, settleSome);
  const result = new DocumentRefusal('dato_invalido');
  if (refused.length > 0)
    await settleSome(refused.map(({ item: { place } }) => ({ place, result })));
}

async function settle(
  scope: WriteScope,
  id: string,
  found: readonly ReadFile[],
  listeners: readonly OrderListener[],
): Promise<void> {
  const places = found.map(({ place }) => place);
  const waiting = await store.lockWaiting(scope, id, places);
  const read = found.filter(({ place }) => waiting.has(place));
  const documents = read.flatMap(({ result }) =>
    result instanceof DocumentRefusal ? [] : [result],
  );
  const added = new Set(await recordCfdis(scope, 'upload', documents, listeners));
  await store.settle(
    scope,
    id,
    read.map(({ place, result }) => {
      if (result instanceof DocumentRefusal)
        return { ...REFUSED, ...refusalIn(result), place, uuid: null };
      const { uuid } = result.record;
      // Of two files with one folio one is new.
      const state = added.delete(uuid) ? 'new' : 'known';
      return { place, state, uuid, reason: null, message: null };
    }),
  );
}

function refusalIn({ reason, message }: DocumentRefusal) {
  return { reason, message };
}

function bindingOf(id: string, index: number, field: 'name' | 'content'): readonly string[] {
  return ['cfdi_upload', id, String(index), field];
}
