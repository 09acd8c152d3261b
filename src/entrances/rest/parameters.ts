import {
  LONGEST_ACCOUNT,
  MARKETPLACES,
  type Marketplace,
  ORDER_STATUSES,
  type OrderStatus,
} from '../../connectors/contract.ts';
import type { OrderQuery } from '../../features/orders/index.ts';
import { invalid } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { instantOf, instantRule, unknownSentence } from '../inputs.ts';

/** A query parameter: what the documentation says of it, and whether it may be repeated. */
export interface Parameter {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number | readonly string[];
  readonly isList?: true;
}

const DEFAULT_LIMIT = 50;
const MOST_LIMIT = 100;
const MOST_VALUES = 50;
/**
 * Characters of an address that all accounts of a filter may take, each with the name of the parameter. With it the
 * cursor of a page fits an address, also where the filters are repeated beside it.
 */
const MOST_ACCOUNTS_LENGTH = 2_000;
const NAME_LENGTH = '&account_id='.length;

const INSTANT = { type: 'string', format: 'date-time' };
const ACCOUNT = { type: 'string', minLength: 1, maxLength: LONGEST_ACCOUNT };

function listOf(items: Readonly<Record<string, unknown>>) {
  return { type: 'array', items, minItems: 1, maxItems: MOST_VALUES };
}

export const ORDER_PARAMETERS = {
  limit: {
    description: `Cuántas órdenes por página, de 1 a ${MOST_LIMIT}.`,
    schema: { type: 'integer', minimum: 1, maximum: MOST_LIMIT, default: DEFAULT_LIMIT },
    example: 25,
  },
  cursor: {
    description:
      'El `pagination.next_cursor` de la página anterior. Los demás filtros pueden repetirse iguales u omitirse.',
    schema: { type: 'string', minLength: 1 },
    example: 'eyJ2IjoxfQ',
  },
  from: {
    description: 'Creadas en este instante o después.',
    schema: INSTANT,
    example: '2026-11-01T00:00:00Z',
  },
  to: { description: 'Creadas en este instante o antes.', schema: INSTANT, example: '2026-11-30T23:59:59Z' },
  updated_since: {
    description:
      'Solo las que cambiaron en este instante o después, también las antiguas, de la que cambió primero a la última. ' +
      'Para la siguiente consulta usa `meta.as_of`. Si usas tu propio reloj, retrocede 60 segundos. Una orden también cuenta ' +
      'como cambiada cuando una versión nueva de Tianguis agrega o corrige un campo suyo.',
    schema: INSTANT,
    example: '2026-11-20T18:00:00.000000Z',
  },
  status: {
    description:
      'Uno o varios estados, separados por comas o repitiendo el parámetro. Se compara con el estado que la orden tiene ahora: ' +
      'con `updated_since` no te enteras de que una orden dejó ese estado, porque ya no aparece. Para seguir los cambios de ' +
      'estado, sincroniza sin este filtro.',
    schema: listOf({ type: 'string', enum: ORDER_STATUSES }),
    example: ['paid', 'shipped'],
    isList: true,
  },
  marketplace: {
    description: 'Uno o varios marketplaces, separados por comas o repitiendo el parámetro.',
    schema: listOf({ type: 'string', enum: MARKETPLACES }),
    example: ['mercado_libre', 'amazon'],
    isList: true,
  },
  account_id: {
    description:
      'Una o varias cuentas del marketplace, separadas por comas o repitiendo el parámetro; en conjunto, hasta ' +
      `${MOST_ACCOUNTS_LENGTH} caracteres de la dirección. Si una cuenta lleva una coma, escribe \`\\,\` en su lugar, y \`\\\\\` ` +
      'en el de una diagonal invertida.',
    schema: listOf(ACCOUNT),
    example: ['468424241'],
    isList: true,
  },
} as const satisfies Record<string, Parameter>;

export const ONE_ORDER_PARAMETERS = {
  marketplace: {
    description: 'El marketplace de la orden, cuando su identificador existe en varios.',
    schema: { type: 'string', enum: MARKETPLACES },
    example: 'mercado_libre',
  },
  account_id: {
    description: 'La cuenta de la orden, cuando su identificador existe en varias del mismo marketplace.',
    schema: ACCOUNT,
    example: '468424241',
  },
} as const satisfies Record<string, Parameter>;

export type RawQuery = Readonly<Record<string, string | string[] | undefined>>;

/** @throws Failure invalid_request naming the parameter at fault */
export function readOrderQuery(raw: RawQuery): OrderQuery {
  refuseUnknown(raw, ORDER_PARAMETERS);
  const from = readInstant(raw, 'from');
  const to = readInstant(raw, 'to');
  if (from && to && Temporal.Instant.compare(from, to) > 0)
    throw invalid('from', 'El parámetro from debe ser anterior o igual a to.');
  return {
    list: 'rest',
    limit: readLimit(raw),
    cursor: readText(raw, 'cursor'),
    filters: {
      from,
      to,
      updatedSince: readInstant(raw, 'updated_since'),
      status: readList(raw, 'status', ORDER_STATUSES) as OrderStatus[],
      marketplace: readList(raw, 'marketplace', MARKETPLACES) as Marketplace[],
      accountId: readAccounts(raw),
    },
  };
}

/** @throws Failure invalid_request naming the parameter at fault */
export function readOneOrderQuery(raw: RawQuery): { marketplace?: Marketplace; accountId?: string } {
  refuseUnknown(raw, ONE_ORDER_PARAMETERS);
  const marketplace = readText(raw, 'marketplace');
  const accountId = readText(raw, 'account_id');
  if (marketplace !== null) refuseOthers('marketplace', [marketplace], MARKETPLACES);
  if (accountId !== null) refuseNonText('account_id', [accountId]);
  return {
    ...(marketplace !== null && { marketplace: marketplace as Marketplace }),
    ...(accountId !== null && { accountId }),
  };
}

/** For operations without parameters: any is unknown. */
export function readNothing(raw: RawQuery): void {
  refuseUnknown(raw, {});
}

function refuseUnknown(raw: RawQuery, known: Readonly<Record<string, Parameter>>): void {
  for (const [name, value] of Object.entries(raw)) {
    const parameter = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!parameter) throw invalid(name, unknownSentence('parameter', name, Object.keys(known)));
    if (Array.isArray(value) && !parameter.isList)
      throw invalid(name, `El parámetro ${name} debe aparecer una sola vez.`);
  }
}

function readLimit(raw: RawQuery): number {
  const text = raw.limit as string | undefined;
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MOST_LIMIT)
    throw invalid('limit', `El parámetro limit debe ser un entero entre 1 y ${MOST_LIMIT}.`);
  return limit;
}

function readInstant(raw: RawQuery, name: string): Instant | null {
  const text = raw[name] as string | undefined;
  if (text === undefined) return null;
  const instant = instantOf(text);
  if (!instant) throw invalid(name, `El parámetro ${name} ${instantRule(text)}`);
  return instant;
}

function readText(raw: RawQuery, name: string): string | null {
  const text = raw[name] as string | undefined;
  if (text === undefined) return null;
  if (text === '') throw invalid(name, `El parámetro ${name} no puede estar vacío.`);
  return text;
}

function readAccounts(raw: RawQuery): string[] {
  const accounts = readList(raw, 'account_id', null);
  const lengths = accounts.map((account) => NAME_LENGTH + encodeURIComponent(escaped(account)).length);
  const isTooLong = lengths.reduce((sum, length) => sum + length, 0) > MOST_ACCOUNTS_LENGTH;
  if (isTooLong || accounts.some((account) => account.length > LONGEST_ACCOUNT))
    throw invalid(
      'account_id',
      `El parámetro account_id admite cuentas de hasta ${LONGEST_ACCOUNT} caracteres y, en conjunto, ${MOST_ACCOUNTS_LENGTH} ` +
        'caracteres de la dirección. Reparte las cuentas en varias consultas.',
    );
  return accounts;
}

/** Values in order and once each, so that the same list written otherwise is the same filter. */
function readList(raw: RawQuery, name: string, allowed: readonly string[] | null): string[] {
  const value = raw[name];
  if (value === undefined) return [];
  const wanted = [value].flat().flatMap(valuesOf);
  if (wanted.includes('')) throw invalid(name, `El parámetro ${name} no puede tener valores vacíos.`);
  if (allowed) refuseOthers(name, wanted, allowed);
  refuseNonText(name, wanted);
  if (wanted.length > MOST_VALUES)
    throw invalid(name, `El parámetro ${name} admite hasta ${MOST_VALUES} valores.`);
  return [...new Set(wanted)].sort();
}

function escaped(value: string): string {
  return value.replace(/[\\,]/g, '\\$&');
}

const ESCAPED_OR_ONE = /\\[\\,]|./gs;

/** The values between commas, without blanks around them. `\,` is a comma of the value itself, `\\` a backslash. */
function valuesOf(text: string): string[] {
  if (!text.includes('\\')) return text.split(',').map((value) => value.trim());
  const values = [''];
  for (const [part] of text.matchAll(ESCAPED_OR_ONE))
    if (part === ',') values.push('');
    else values.push(`${values.pop()}${part.length === 2 ? part[1] : part}`);
  return values.map((value) => value.trim());
}

function refuseOthers(name: string, wanted: readonly string[], allowed: readonly string[]): void {
  if (wanted.some((text) => !allowed.includes(text)))
    throw invalid(name, `El parámetro ${name} solo admite: ${allowed.join(', ')}.`);
}

/** The database keeps no NUL. */
function refuseNonText(name: string, wanted: readonly string[]): void {
  if (wanted.some((text) => text.includes('\0')))
    throw invalid(name, `El parámetro ${name} tiene caracteres que no son texto.`);
}
