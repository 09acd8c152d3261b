/** Messages between the test and the thread of the emulation. */
import type { Day, Execution } from './execution.ts';
import type { FetchOptions, Trigger } from './services.ts';
import type { Screen } from './ui.ts';
import type { Cell } from './workbook.ts';

export interface RunOptions {
  readonly kind?: Execution['kind'];
  /** Google stops the run at this call of a service; of the writes under way some are made. */
  readonly cutAt?: number;
  /** What a fetch takes. */
  readonly fetchMs?: number;
  /** What is typed into prompts; null = cancelled. */
  readonly typed?: (string | null)[];
  readonly agrees?: boolean;
  /** Another run that begins while this one is at that call. */
  readonly overlap?: { readonly at: number; readonly name: string };
  /** What a person does by hand while this one waits for that fetch, the first being 1. */
  readonly editAt?: { readonly fetch: number; readonly changes: readonly Edit[] };
  /** The script does not belong to a document. */
  readonly isUnbound?: boolean;
}

export interface Ran {
  readonly name: string;
  /** How it ended: null = well. */
  readonly error: string | null;
  /** Google stopped it. */
  readonly stopped: string | null;
  readonly calls: number;
  readonly milliseconds: number;
  /** The statuses of what was fetched, by address. */
  readonly fetched: readonly (readonly [url: string, status: number | null])[];
  /** Toasts, questions and alerts. */
  readonly shown: readonly string[];
  readonly logged: readonly string[];
  readonly menu: Screen['menu'];
  readonly overlapped: Ran | null;
}

export interface Seen {
  readonly tabs: readonly string[];
  readonly triggers: readonly Trigger[];
  readonly user: Record<string, string>;
  readonly document: Record<string, string>;
  readonly day: Day;
}

export interface SeenTab {
  readonly rows: readonly (readonly Cell[])[];
  readonly formats: readonly (readonly string[])[];
  readonly maxRows: number;
  readonly maxColumns: number;
}

type Edit =
  | {
      readonly what: 'cell';
      readonly tab: string;
      readonly at: readonly [number, number];
      readonly text: string;
    }
  | { readonly what: 'sort'; readonly tab: string }
  | { readonly what: 'remove' | 'clear'; readonly tab: string }
  | { readonly what: 'rename'; readonly tab: string; readonly to: string }
  | { readonly what: 'rows'; readonly tab: string; readonly count: number }
  | { readonly what: 'property'; readonly name: string; readonly value: string }
  | { readonly what: 'day'; readonly fetches: number };

export type Ask =
  | { readonly ask: 'run'; readonly name: string; readonly options: RunOptions }
  | { readonly ask: 'look' | 'reset' }
  | { readonly ask: 'fired'; readonly id: number }
  | { readonly ask: 'tab'; readonly name: string }
  | { readonly ask: 'edit'; readonly change: Edit };

/** What the thread asks of the app; without an address only time passes. */
export interface Call {
  readonly url: string | null;
  readonly options: FetchOptions;
  readonly elapsedMs: number;
}
