/** What an organisation has, written whole to a file: rows as the entrances show them. */
export { EXPORTS, type Exported } from './exports.ts';
export { FORMATS, type FormatName } from './formats.ts';
export { runExport } from './run-export.ts';
export type { ExportResult } from './write-export.ts';
