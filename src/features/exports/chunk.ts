import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import * as store from './store-kept.ts';

/** Of what is kept, before it is compressed and sealed. */
export const CHUNK_BYTES = 256 * 1_024;
/** The rows of one kind have much in common: more effort saves little. */
const EFFORT = { level: 1 };

/** Compressed, and sealed for its place in the export. */
export async function sealChunk(
  scope: WriteScope,
  id: string,
  at: number,
  bytes: Buffer,
): Promise<Buffer> {
  return (await scope.vault()).seal(bindingOf(id, at), deflateRawSync(bytes, EFFORT));
}

/** @throws Failure not_found; SealError where it was altered or moved */
export async function chunkOf(scope: ReadScope, id: string, at: number): Promise<Buffer> {
  const box = await store.chunk(scope, id, at);
  if (!box) throw gone();
  return inflateRawSync((await scope.vault()).open(bindingOf(id, at), box));
}

export function gone() {
  return fail('not_found', { message: 'No existe una exportación con ese identificador.' });
}

function bindingOf(id: string, at: number): readonly string[] {
  return ['export', id, String(at)];
}
