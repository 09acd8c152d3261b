import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { isRawNumber, isStorableText, parseLossless } from '../../../platform/json.ts';
import type { Decimal } from '../../../platform/money.ts';
import { faultOfObject, faultOfText, requiredText } from '../address.ts';
import type { Equivalence, Product } from './products.ts';
import { type MeasureField, readMeasure } from './read-measure.ts';

/** Why a line of a file of goods cannot be read, in Spanish. */
export class UnreadableGoods extends Error {}

/** A product with its measures, or an equivalence of a marketplace. */
export type Goods =
  | { readonly kind: 'product'; readonly product: Product }
  | { readonly kind: 'equivalence'; readonly equivalence: Equivalence };

/** Of products and equivalences. */
export const MOST_UNITS = 10_000;
export const LONGEST_CODE = 255;
export const LONGEST_TITLE = 2_000;

/** Numbers of JSON are raw, cells of tables are texts; empty ones were removed before. */
const measure = (field: MeasureField) =>
  z
    .unknown()
    .optional()
    .transform((value, context): Decimal | null => {
      if (value === undefined) return null;
      const read = readMeasure(field, textOf(value));
      if (read.ok) return read.measure;
      context.addIssue({ code: 'custom', message: read.fault });
      return z.NEVER;
    });

const units = z
  .unknown()
  .optional()
  .transform((value, context): number => {
    const read = value === undefined ? 1 : Number(textOf(value));
    if (Number.isSafeInteger(read) && read >= 1 && read <= MOST_UNITS) return read;
    context.addIssue({ code: 'custom', message: `debe ser un entero de 1 a ${MOST_UNITS}` });
    return z.NEVER;
  });

/** As a marketplace has it: spaces around it are a part of it. */
const code = z
  .string({ error: faultOfText })
  .min(1, { error: 'no puede estar vacío' })
  .max(LONGEST_CODE, { error: `admite hasta ${LONGEST_CODE} caracteres` })
  .refine(isStorableText, { error: 'tiene caracteres que no son texto' });

const ProductLine = z.strictObject(
  {
    sku: code,
    title: requiredText(LONGEST_TITLE).optional(),
    weight_kg: measure('weight_kg'),
    length_cm: measure('length_cm'),
    width_cm: measure('width_cm'),
    height_cm: measure('height_cm'),
  },
  { error: faultOfObject },
);

const EquivalenceLine = z.strictObject(
  {
    sku: code,
    marketplace: z.enum(MARKETPLACES, { error: `debe ser uno de: ${MARKETPLACES.join(', ')}` }),
    account_id: code.optional(),
    code,
    units,
  },
  { error: faultOfObject },
);

const PRODUCT_COLUMNS = Object.keys(ProductLine.shape);
const EQUIVALENCE_COLUMNS = Object.keys(EquivalenceLine.shape);
const COLUMNS = new Set([...PRODUCT_COLUMNS, ...EQUIVALENCE_COLUMNS]);

/**
 * Reads one line of JSON: with `marketplace` it is an equivalence, without one a product.
 * @throws UnreadableGoods
 */
export function readGoods(line: string): Goods {
  let value: unknown;
  try {
    value = parseLossless(line);
  } catch {
    throw new UnreadableGoods('La línea no es JSON válido.');
  }
  return understand(value);
}

/**
 * Readies the reading of a table by its first line.
 * @throws UnreadableGoods when a column is not known, or `sku` is not there
 */
export function tableOfGoods(header: string): (line: string) => Goods {
  const separator = header.includes(';') && !header.includes(',') ? ';' : ',';
  const names = cellsOf(header, separator).map((name) => name.trim().toLowerCase());
  const strange = names.filter((name) => !COLUMNS.has(name));
  if (strange.length > 0 || !names.includes('sku'))
    throw new UnreadableGoods(
      `La primera línea debe nombrar las columnas: sku y cualquiera de ${[...COLUMNS].slice(1).join(', ')}.` +
        (strange.length > 0 ? ` No conozco: ${strange.join(', ')}.` : ''),
    );
  return (line) => {
    const cells = cellsOf(line, separator);
    if (cells.length > names.length)
      throw new UnreadableGoods('La línea tiene más columnas que la primera.');
    return understand(Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])));
  };
}

function understand(given: unknown): Goods {
  const value = isPlain(given) ? withoutGaps(given) : given;
  if (isPlain(value) && 'marketplace' in value) {
    const { marketplace, account_id, code, sku, units: count } = read(EquivalenceLine, value);
    const accountId = account_id ?? null;
    return {
      kind: 'equivalence',
      equivalence: { marketplace, accountId, code, sku, units: count },
    };
  }
  const { sku, title, weight_kg, length_cm, width_cm, height_cm } = read(ProductLine, value);
  const measures = {
    weightKg: weight_kg,
    lengthCm: length_cm,
    widthCm: width_cm,
    heightCm: height_cm,
  };
  return { kind: 'product', product: { sku, title: title ?? sku, ...measures } };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty cell and a null equal a missing field. */
function withoutGaps(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== null && field !== ''),
  );
}

function textOf(value: unknown): string {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'string' ? value : '';
}

function read<T>(shape: z.ZodType<T>, value: unknown): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.');
  throw new UnreadableGoods(
    field
      ? `El campo ${field} ${issue?.message}.`
      : `La línea ${issue?.message ?? 'no es válida'}.`,
  );
}

/**
 * RFC 4180, but for line breaks inside a cell: those are refused. Spaces count in quotes alone.
 */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let rest = line.replace(/\r$/, '');
  for (;;) {
    const quoted = /^\s*"((?:[^"]|"")*)"\s*/.exec(rest);
    const cell = quoted?.[1]?.replaceAll('""', '"') ?? rest.split(separator, 1)[0] ?? '';
    const after = rest.slice(quoted ? quoted[0].length : cell.length);
    if (!quoted && cell.includes('"')) throw new UnreadableGoods('Hay unas comillas sin cerrar.');
    cells.push(quoted ? cell : cell.trim());
    if (after === '') return cells;
    if (!after.startsWith(separator))
      throw new UnreadableGoods('Hay texto después de unas comillas.');
    rest = after.slice(separator.length);
  }
}
