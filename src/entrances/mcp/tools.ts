import { z } from 'zod';
import type { StreamName } from '../../connectors/contract.ts';
import type { AgentAccess } from '../../features/grants/index.ts';
import type { Scope } from '../../features/keys/index.ts';
import type { DeltaClock } from '../../features/orders/index.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { rawNumber } from '../../platform/json.ts';
import type { Decimal } from '../../platform/money.ts';
import { type Instant, isDay } from '../../platform/time.ts';
import { instantOf, instantRule } from '../inputs.ts';

/** What a tool reads with, and for whom. */
export interface ToolCall {
  /** Narrowed to the organisation that the agent reads for. */
  readonly scope: ReadScope;
  readonly access: AgentAccess;
  readonly cursors: CursorMaker;
  /** The organisation's delta clock as this process knows it; null = the verb reads it. */
  readonly clock: DeltaClock | null;
  /** When the answer is made, as the API writes it. */
  readonly asOf: string;
  readonly signal: AbortSignal;
}

/** One tool. Sentences are Spanish, names and keys are English. */
export interface Tool<Input extends z.ZodType, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Null = any agent of the organisation. */
  readonly scope: Scope | null;
  /** Whose last pass says how fresh the answer is; absent = any of an account's. */
  readonly stream?: StreamName;
  /** A strict object; every field says what it is for. */
  readonly input: Input;
  /** The answer's own keys. `freshness`, `as_of` and `meta` come along with every answer that does not have them. */
  readonly output: Output;
  /** Rows in the answer, for the audit. */
  readonly rowsOf: (output: z.output<Output>) => number;
  /** @throws Failure whose sentence says what to repair */
  run(call: ToolCall, input: z.output<Input>): Promise<z.output<Output> | Written>;
}

/** An answer that is text already, such as orders as they are stored: the JSON of an object. */
export interface Written {
  readonly written: string;
  readonly rows: number;
}

export function defineTool<Input extends z.ZodType, Output extends z.ZodObject>(
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

/** A full timestamp, read as in REST. */
export function instant(description: string) {
  return z
    .string()
    .describe(`${description} Fecha y hora completa en ISO 8601 con Z o desfase: 2026-11-20T18:00:00Z.`)
    .transform((text, context): Instant => {
      const read = instantOf(text);
      if (read) return read;
      context.addIssue({ code: 'custom', message: instantRule(text) });
      return z.NEVER;
    });
}

const DAY_RULE = 'debe ser un día del calendario, AAAA-MM-DD, por ejemplo 2026-11-20.';
const NO_TIME_RULE =
  'debe ser un día sin hora, por ejemplo 2026-11-20: se cuentan días completos, los de la zona horaria de timezone.';

/** A whole day of the time zone that the tool counts in. */
export function day(description: string) {
  const ruleOf = (text: string) => (isDay(text.slice(0, DAY_LENGTH)) ? NO_TIME_RULE : DAY_RULE);
  return z
    .string()
    .meta({ description: `${description} AAAA-MM-DD, sin hora: 2026-11-20.`, format: 'date' })
    .refine(isDay, { error: ({ input }) => ruleOf(String(input)) });
}

const DAY_LENGTH = '2026-11-20'.length;

/** Values in order and once each, so that the same list written otherwise is the same filter. */
export function listOf<Value extends string>(values: readonly Value[], description: string) {
  return z
    .array(z.enum(values))
    .max(50)
    .transform((given) => [...new Set(given)].sort())
    .optional()
    .describe(description);
}

const DEFAULT_ROWS = 20;
/** Of every list. */
export const MOST_ROWS = 200;

/** In a message nothing else bounds it; the longest that a list of ours makes is shorter. */
const LONGEST_CURSOR = 50_000;

/** The arguments of every list. */
export const LIST_INPUT = {
  limit: z
    .int()
    .min(1)
    .max(MOST_ROWS)
    .default(DEFAULT_ROWS)
    .describe(`Cuántos renglones por página, de 1 a ${MOST_ROWS}.`),
  cursor: z
    .string()
    .min(1)
    .max(LONGEST_CURSOR)
    .optional()
    .describe(
      'El pagination.next_cursor de la página anterior. Los demás filtros se omiten o se repiten iguales.',
    ),
  fields: z
    .enum(['compact', 'full'])
    .default('compact')
    .describe('compact: lo esencial de cada renglón. full: todo su detalle.'),
};

/** The keys that lists have beside their rows. */
export const LIST_OUTPUT = {
  pagination: z
    .object({
      next_cursor: nullable(z.string().describe('Pásalo en cursor para la página siguiente.')),
      has_more: z.boolean().describe('false = el recorrido está completo.'),
    })
    .describe('Cómo seguir.'),
  empty_because: z
    .string()
    .optional()
    .describe('Solo en listas vacías: qué filtro la dejó sin renglones, o qué falta conectar.'),
};

/** `pagination` of a page. */
export function paginationOf(nextCursor: string | null) {
  return { next_cursor: nextCursor, has_more: nextCursor !== null };
}
