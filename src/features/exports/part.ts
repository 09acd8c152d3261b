import { z } from 'zod';

/** How far a file is written. */
export interface Progress {
  /** Of what: which rows, in which format. Another file's part is not gone on with. */
  readonly of: string;
  /** The name of the snapshot that the rows are read from. */
  readonly snapshot: string;
  /** ISO 8601: the rows are as they were then. */
  readonly asOf: string;
  /** Where the walk over the rows goes on. */
  readonly place: unknown;
  readonly rows: number;
  readonly bytes: number;
}

const Kept = z.object({
  of: z.string(),
  snapshot: z.string(),
  asOf: z.string(),
  place: z.unknown(),
  rows: z.int(),
  bytes: z.int(),
});

/** A file that appears under its name when it is whole, and holds what only its owner may read. */
export interface PartFile {
  /** What is written already of the same thing. */
  readonly kept: Progress | null;
  /** Goes on after so much; what was written beyond it is given up. */
  goOn(from: Progress): Promise<void>;
  write(bytes: string | Buffer): Promise<void>;
  /** How many bytes it has now. */
  size(): number;
  /** What was written so far outlasts this process. */
  keep(progress: Progress): Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** Null where the text is none, or is of something else. */
export function progressIn(text: string, of: string): Progress | null {
  const kept = Kept.safeParse(jsonOf(text));
  return kept.success && kept.data.of === of ? kept.data : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
