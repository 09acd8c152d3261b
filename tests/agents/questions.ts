import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a seller asks, and how an agent gets the answer. */
interface Question {
  readonly question: string;
  readonly plan: readonly {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  }[];
  /** Rows of SQL, of the organisation $1, that the last answer has at a place, and no others. */
  readonly truth?: { readonly sql: string; readonly at: string };
  /** What the last answer's heading warns of. */
  readonly warns?: string;
}

const { GOLDEN_DIR } = process.env;
const FOLDERS = [join(import.meta.dirname, 'golden'), ...(GOLDEN_DIR ? [GOLDEN_DIR] : [])];

/** Those of this folder, and of the JSON files of GOLDEN_DIR, in the same format. */
export const QUESTIONS = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Question[]),
);
