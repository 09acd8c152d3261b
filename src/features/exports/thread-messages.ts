import type { Address } from '../../platform/db/database.ts';
import type { FailureCode } from '../../platform/failures.ts';
import type { ExportRequest, ExportResult } from './export-request.ts';

export interface ThreadTask {
  readonly address: Address;
  /** The master keys, as the thread gets them; null = nothing is sealed. */
  readonly master: { readonly current: Uint8Array; readonly previous: Uint8Array | null } | null;
  readonly request: ExportRequest;
}

export type ThreadAnswer =
  | { readonly rows: number }
  | { readonly result: ExportResult }
  | { readonly isDiskFull: true }
  | { readonly failure: { readonly code: FailureCode; readonly message: string } };
