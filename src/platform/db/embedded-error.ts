export type Log = (message: string, fields?: object) => void;

/** The embedded database cannot run here; `message` tells the operator why, in Spanish. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError';
}
