import { z } from 'zod';
import type { StreamName } from '../../connectors/contract.ts';
import type { AgentAccess } from '../../features/grants/index.ts';
import type { Scope } from '../../features/keys/index.ts';
import type { DeltaClock } from '../../features/orders/index.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { type Given, pageInput } from '../../platform/input-fields.ts';
import { rawNumber } from '../../platform/json.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Operator } from '../../platform/operator.ts';

/** What a tool reads with, and for whom. */
export interface ToolCall {
  /** Narrowed to the organisation that the agent reads for. */
  readonly scope: ReadScope;
  readonly access: AgentAccess;
  readonly operator: Operator;
  readonly cursors: CursorMaker;
  /** The instance's address. */
  readonly publicUrl: () => string;
  /** The organisation's delta clock as this process knows it; null = the verb reads it. */
  readonly clock: DeltaClock | null;
  /** When the answer is made, as the API writes it. */
  readonly asOf: string;
  readonly signal: AbortSignal;
}

/** Rows in Spanish: one of them, and several. */
export type Counted = readonly [one: string, many: string];

/** One tool. Sentences are Spanish, names and keys are English. */
export interface Tool<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Null = any agent of the organisation. */
  readonly scope: Scope | null;
  /** Whose last sync run says how fresh the answer is; absent = any of an account's. */
  readonly stream?: StreamName;
  /** A strict object; every field says what it is for. */
  readonly input: Input;
  /**
   * The answer's own keys. `freshness`, `as_of` and `meta` come along with every answer that does
   * not have them.
   */
  readonly output: Output;
  /** Its answer has an `as_of` of its own, so that it may be read on a replica that lags. */
  readonly mayLag?: true;
  /** What its rows are, for the line before the data. */
  readonly counted: Counted;
  /** Rows in the answer: for the heading, for the smaller `limit`, and for the record of calls. */
  readonly rowsOf: (output: z.output<Output>) => number;
  /** @throws Failure whose sentence says what to repair */
  run(call: ToolCall, input: Given<Input>): Promise<z.output<Output> | Written>;
}

/** A tool whose arguments were checked by its own schema. */
export type AnyTool = Tool<z.ZodObject, z.ZodObject>;

/** An answer that is text already, such as orders as they are stored: the JSON of an object. */
export interface Written {
  readonly written: string;
  readonly rows: number;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool<Input, Output> {
  return tool;
}

/** `anyOf` with null: some agents know no list of types. */
export function nullable<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}

/** An exact amount: a number in the schema and in the answer, its own text in between. */
export function amount(description: string): z.ZodType<number, number> {
  return z.number().describe(description);
}

/** A decimal as what `amount` describes: JSON writes it with the digits that it has. */
export function toAmount(value: Decimal): number;
export function toAmount(value: Decimal | null): number | null;
export function toAmount(value: Decimal | null): number | null {
  return value === null ? null : (rawNumber(value) as unknown as number);
}

/** Of every list. */
export const MOST_ROWS = 200;

/** The arguments of every list. */
export const LIST_INPUT = {
  ...pageInput({ usual: 20, most: MOST_ROWS }),
  fields: z.enum(['compact', 'full']).default('compact').describe('full: todo el detalle.'),
};

/** Whether its answer is a page of rows, which can be asked for in smaller pages. */
export function isList({ input }: AnyTool): boolean {
  return Object.hasOwn(input.shape, 'fields');
}

/** Where to go on. */
export const PAGINATION = z
  .object({
    next_cursor: nullable(z.string().describe('Pásalo en cursor para la página siguiente.')),
    has_more: z.boolean().describe('false = el recorrido está completo.'),
  })
  .describe('Cómo seguir.');

/** The keys that lists have beside their rows. */
export const LIST_OUTPUT = {
  pagination: PAGINATION,
  empty_because: z
    .string()
    .optional()
    .describe('Solo en listas vacías: qué filtro la dejó sin resultados, o qué falta conectar.'),
};

/** Of a tool that is no list, but whose answer may be too large for one. */
export const PART_INPUT = { cursor: pageInput({ usual: 1, most: 1 }).cursor };

/** `pagination` of a page. */
export function paginationOf(nextCursor: string | null) {
  return { next_cursor: nextCursor, has_more: nextCursor !== null };
}

/** An account's id in a sentence of ours; one that could pass for a sentence is in quotes. */
export function accountInSentence(accountId: string): string {
  return /^[\w.:@/+-]{1,100}$/.test(accountId) ? accountId : JSON.stringify(accountId);
}
