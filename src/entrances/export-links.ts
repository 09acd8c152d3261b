import { z } from 'zod';
import type { CursorMaker } from '../platform/cursor.ts';
import { type Failure, fail } from '../platform/failure.ts';
import { epochMicros, fromEpochMicros, type Instant } from '../platform/time.ts';
import { type LinkHolder, LinkHolderShape } from './link-holder.ts';

/** Where files are downloaded, by a link that needs no other credential. */
export const DOWNLOADS = '/descargas/';
const MINUTES = 15;
const KIND = 'export-file';

interface LinkedExport {
  readonly organizationId: string;
  readonly exportId: string;
  /** The person or key that asked for the link. */
  readonly by: LinkHolder;
}

export interface ExportLink extends LinkedExport {
  readonly until: Instant;
}

const Signed = z.tuple([z.literal(KIND), z.string(), z.string(), LinkHolderShape, z.number()]);

/** A link that only this installation can make, for a quarter of an hour. */
export function makeExportLink(
  { cursors, publicUrl, now }: { cursors: CursorMaker; publicUrl: string; now: Instant },
  { organizationId, exportId, by }: LinkedExport,
): { readonly url: string; readonly expiresAt: Instant } {
  const expiresAt = now.add({ minutes: MINUTES });
  const text = cursors.make([KIND, organizationId, exportId, by, epochMicros(expiresAt)]);
  return { url: `${publicUrl}${DOWNLOADS}${text}`, expiresAt };
}

/** @throws Failure not_found where it is no link of ours, or its time is over */
export function openExportLink(cursors: CursorMaker, text: string, now: Instant): ExportLink {
  const signed = Signed.safeParse(orNull(() => cursors.open(text)));
  if (!signed.success) throw linkOver();
  const [, organizationId, exportId, by, until] = signed.data;
  if (Temporal.Instant.compare(now, fromEpochMicros(until)) >= 0) throw linkOver();
  return { organizationId, exportId, by, until: fromEpochMicros(until) };
}

export function linkOver(): Failure {
  return fail('not_found', {
    message: 'Este enlace ya no sirve. Pide otro en tus exportaciones.',
  });
}

function orNull<T>(open: () => T): T | null {
  try {
    return open();
  } catch {
    return null;
  }
}
