export type Log = (message: string, fields?: object) => void;

/** The embedded database cannot run here; `message` gives the operator the reason, in Spanish. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}
