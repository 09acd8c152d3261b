/** What an organisation has, written whole to a file: rows as the entrances show them. */

export { exportJson } from './export-json.ts';
export type { ExportResult } from './export-request.ts';
export { EXPORTS, type Exported, thingsIn } from './exports.ts';
export {
  DAYS_MEAN,
  EXPORT_SHAPE,
  FAILURE_WORDS,
  FORMAT_MEANS,
  FORMAT_NAMES,
  WHAT_NAMES,
} from './fields.ts';
export { FORMATS, type FormatName, fileNameOf } from './formats.ts';
export {
  askForExport,
  bytesOf,
  deleteExport,
  endExport,
  failExport,
  getExport,
  type KeptExport,
  listExports,
  makeReady,
  noteDownload,
  noteExport,
} from './kept.ts';
export { DiskFull, runExport } from './run-export.ts';
export { RETENTIONS, underWay as exportsUnderWay } from './store-kept.ts';
export { WHOLE } from './terms.ts';
export { narrowedInWords, periodInWords, TITLES } from './words.ts';
