import { z } from 'zod';
import type { Doer } from '../features/trail/index.ts';
import type { CursorMaker } from '../platform/cursor.ts';
import { fail } from '../platform/failure.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../platform/time.ts';

/** Where files are downloaded, by a link that needs no other credential. */
export const DOWNLOADS = '/descargas/';
const MINUTES = 15;
const KIND = 'export-file';

interface ExportLink {
  readonly organizationId: string;
  readonly exportId: string;
  /** The person or key that asked for the link. */
  readonly by: Exclude<Doer, string>;
}

const Signed = z.tuple([
  z.literal(KIND),
  z.string(),
  z.string(),
  z.union([
    z.object({ personId: z.string(), address: z.string().nullable() }),
    z.object({ keyId: z.string(), address: z.string().nullable() }),
  ]),
  z.number(),
]);

/** A link that only this installation can make, for a quarter of an hour. */
export function makeExportLink(
  { cursors, publicUrl, now }: { cursors: CursorMaker; publicUrl: string; now: Instant },
  { organizationId, exportId, by }: ExportLink,
): { readonly url: string; readonly expiresAt: Instant } {
  const expiresAt = now.add({ minutes: MINUTES });
  const text = cursors.make([KIND, organizationId, exportId, by, epochMicros(expiresAt)]);
  return { url: `${publicUrl}${DOWNLOADS}${text}`, expiresAt };
}

/** @throws Failure not_found where it is no link of ours, or its time is over */
export function openExportLink(cursors: CursorMaker, text: string, now: Instant): ExportLink {
  const gone = fail('not_found', {
    message: 'Este enlace ya no sirve. Pide otro en tus exportaciones.',
  });
  const signed = Signed.safeParse(orNull(() => cursors.open(text)));
  if (!signed.success) throw gone;
  const [, organizationId, exportId, by, until] = signed.data;
  if (Temporal.Instant.compare(now, fromEpochMicros(until)) >= 0) throw gone;
  return { organizationId, exportId, by };
}

function orNull<T>(open: () => T): T | null {
  try {
    return open();
  } catch {
    return null;
  }
}
