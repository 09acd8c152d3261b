import type { ReadScope } from '../../platform/db/database.ts';
import type { OrganizationWrites } from '../../platform/db/writes.ts';
import { CHUNK_BYTES, chunkOf, gone, sealChunk } from './chunk.ts';
import { type PartFile, progressIn } from './part.ts';
import * as store from './store-kept.ts';

type Organization = OrganizationWrites & {
  read<T>(work: (scope: ReadScope) => Promise<T>): Promise<T>;
};

/**
 * An export that is kept in the database: chunks of equal length, each compressed and then sealed
 * with the organisation's data key, bound to the export and its number.
 * @throws Failure not_found where it was deleted
 */
export async function openKeptPart(
  organization: Organization,
  id: string,
  of: string,
): Promise<PartFile> {
  const known = await organization.read((scope) => store.progressOf(scope, id));
  // One for all chunks: buffers of their own would be garbage for long.
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let whole = 0;
  let filled = 0;
  const size = () => whole * CHUNK_BYTES + filled;
  const put = () =>
    organization.write(async (scope) => {
      const box = await sealChunk(scope, id, whole, chunk.subarray(0, filled));
      if (!(await store.putChunk(scope, id, { at: whole, box, bytes: size() }))) throw gone();
    });
  return {
    kept: progressIn(known ?? '', of),
    async goOn(from) {
      whole = Math.floor(from.bytes / CHUNK_BYTES);
      filled = from.bytes % CHUNK_BYTES;
      if (filled > 0) {
        const begun = await organization.read((scope) => chunkOf(scope, id, whole));
        begun.copy(chunk, 0, 0, filled);
      }
      const isOurs = await organization.write((scope) =>
        store.goOn(scope, id, from, filled > 0 ? whole : whole - 1),
      );
      if (!isOurs) throw gone();
    },
    async write(given) {
      const bytes = typeof given === 'string' ? Buffer.from(given) : given;
      for (let at = 0; at < bytes.length; ) {
        const copied = bytes.copy(chunk, filled, at);
        at += copied;
        filled += copied;
        if (filled < CHUNK_BYTES) break;
        await put();
        whole += 1;
        filled = 0;
      }
    },
    size,
    async keep(progress) {
      if (filled > 0) await put();
      if (!(await organization.write((scope) => store.keep(scope, id, progress)))) throw gone();
    },
    async finish() {
      if (filled > 0) await put();
    },
    async close() {},
  };
}
