import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ReadScope } from '../../platform/db/database.ts';
import type { OrganizationWrites } from '../../platform/db/writes.ts';
import { fail } from '../../platform/failure.ts';
import { jsonOf, Kept, type PartFile } from './part-file.ts';
import * as store from './store-kept.ts';

/** Of what is kept, before it is compressed and sealed. */
export const CHUNK_BYTES = 256 * 1_024;
/** The rows of one kind have much in common: more effort saves little. */
const EFFORT = { level: 1 };

type Organization = OrganizationWrites & {
  read<T>(work: (scope: ReadScope) => Promise<T>): Promise<T>;
};

/**
 * An export that is kept in the database: chunks of equal length, each compressed and then sealed
 * with the organisation's data key, bound to its place.
 * @throws Failure not_found where it was deleted
 */
export async function openKeptPart(
  organization: Organization,
  id: string,
  of: string,
): Promise<PartFile> {
  const known = Kept.safeParse(
    jsonOf((await organization.read((scope) => store.progressOf(scope, id))) ?? ''),
  );
  let whole = 0;
  let rest = Buffer.alloc(0);
  const size = () => whole * CHUNK_BYTES + rest.length;
  const put = (chunk: Buffer, bytes: number) =>
    organization.write(async (scope) => {
      const vault = await scope.vault();
      const box = vault.seal(placeOf(id, whole), deflateRawSync(chunk, EFFORT));
      if (!(await store.putChunk(scope, id, { at: whole, box, bytes }))) throw gone();
    });
  return {
    kept: known.success && known.data.of === of ? known.data : null,
    async goOn(from) {
      whole = Math.floor(from.bytes / CHUNK_BYTES);
      const begun = from.bytes % CHUNK_BYTES;
      rest = Buffer.alloc(0);
      if (begun > 0) {
        const chunk = await organization.read((scope) => chunkOf(scope, id, whole));
        rest = Buffer.from(chunk.subarray(0, begun));
      }
      const isOurs = await organization.write((scope) =>
        store.goOn(scope, id, from, begun > 0 ? whole : whole - 1),
      );
      if (!isOurs) throw gone();
    },
    async write(given) {
      const bytes = Buffer.concat([rest, typeof given === 'string' ? Buffer.from(given) : given]);
      let at = 0;
      for (; at + CHUNK_BYTES <= bytes.length; at += CHUNK_BYTES) {
        await put(bytes.subarray(at, at + CHUNK_BYTES), (whole + 1) * CHUNK_BYTES);
        whole += 1;
      }
      rest = Buffer.from(bytes.subarray(at));
    },
    size,
    async keep(progress) {
      if (rest.length > 0) await put(rest, size());
      if (!(await organization.write((scope) => store.keep(scope, id, progress)))) throw gone();
    },
    async finish() {
      if (rest.length > 0) await put(rest, size());
    },
    async close() {},
  };
}

/** @throws Failure not_found; SealError where it was altered or moved */
export async function chunkOf(scope: ReadScope, id: string, at: number): Promise<Buffer> {
  const box = await store.chunk(scope, id, at);
  if (!box) throw gone();
  return inflateRawSync((await scope.vault()).open(placeOf(id, at), box));
}

function placeOf(id: string, at: number): readonly string[] {
  return ['export', id, String(at)];
}

function gone() {
  return fail('not_found', { message: 'No existe una exportación con ese identificador.' });
}
