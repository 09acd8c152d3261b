import { formatMillis } from '../../platform/time.ts';
import { FAILURE_WORDS } from './fields.ts';
import type { KeptExport } from './kept.ts';

/** @param file null = it is not ready */
export function exportJson(
  kept: KeptExport,
  file: { readonly url: string; readonly expires_at: string } | null,
) {
  const { id, what, format, terms, state, failure, rows, bytes, asOf, finishedAt } = kept;
  return {
    id,
    what,
    format,
    from: terms.from,
    to: terms.to,
    marketplace: terms.marketplace,
    payout_id: terms.payout?.id ?? null,
    state,
    error: failure && { code: failure, message: FAILURE_WORDS[failure] },
    rows,
    bytes,
    as_of: asOf,
    created_at: formatMillis(kept.createdAt),
    finished_at: finishedAt && formatMillis(finishedAt),
    expires_at: formatMillis(kept.expiresAt),
    file,
  };
}
