import type { Exported } from './exports.ts';
import type { FormatName } from './formats.ts';
import type { ExportTerms } from './terms.ts';

export interface ExportRequest {
  readonly organizationId: string;
  readonly what: Exported;
  readonly format: FormatName;
  readonly terms: ExportTerms;
  /** Where the rows go: a file, or an export that is kept, by its id. */
  readonly to: { readonly file: string } | { readonly kept: string };
}

export interface ExportResult {
  readonly rows: number;
  readonly bytes: number;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
}
