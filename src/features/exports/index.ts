/** What an organisation has, written whole to a file: rows as the entrances show them. */
export { EXPORTS, type Exported } from './exports.ts';
export { FORMATS, type FormatName } from './formats.ts';
export { type ExportResult, writeExport } from './write-export.ts';
