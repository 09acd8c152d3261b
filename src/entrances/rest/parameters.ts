import {
  MARKETPLACES,
  type Marketplace,
  ORDER_STATUSES,
  type OrderStatus,
} from '../../connectors/contract.ts';
import type { OrderQuery } from '../../features/orders/index.ts';
import { invalid } from '../../platform/failure.ts';
import type { Instant } from '../../platform/time.ts';
import { INSTANT_RULE, instantOf, nearestOf } from '../inputs.ts';

/** A query parameter: what the documentation says of it, and whether it may be repeated. */
export interface Parameter {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number | readonly string[];
  readonly isList?: true;
}

const DEFAULT_LIMIT = 50;
const MOST_LIMIT = 100;
const MOST_TEXT = 200;
const MOST_VALUES = 50;

const INSTANT = { type: 'string', format: 'date-time' };

export const ORDER_PARAMETERS = {
  limit: {
    description: `Cuántas órdenes por página, de 1 a ${MOST_LIMIT}.`,
    schema: { type: 'integer', minimum: 1, maximum: MOST_LIMIT, default: DEFAULT_LIMIT },
    example: 25,
  },
  cursor: {
    description:
      'El `pagination.next_cursor` de la página anterior. Los demás filtros pueden repetirse iguales u omitirse.',
    schema: { type: 'string' },
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
      'Para la siguiente consulta usa `meta.as_of`. Si usas tu propio reloj, retrocede 60 segundos.',
    schema: INSTANT,
    example: '2026-11-20T18:00:00.000000Z',
  },
  status: {
    description: 'Uno o varios estados, separados por comas o repitiendo el parámetro.',
    schema: { type: 'array', items: { type: 'string', enum: ORDER_STATUSES } },
    example: ['paid', 'shipped'],
    isList: true,
  },
  marketplace: {
    description: 'Uno o varios marketplaces, separados por comas o repitiendo el parámetro.',
    schema: { type: 'array', items: { type: 'string', enum: MARKETPLACES } },
    example: ['mercado_libre', 'amazon'],
    isList: true,
  },
  account_id: {
    description: 'Una o varias cuentas del marketplace, separadas por comas o repitiendo el parámetro.',
    schema: { type: 'array', items: { type: 'string' } },
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
    schema: { type: 'string' },
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
      accountId: readList(raw, 'account_id', null),
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
    if (!parameter) throw invalid(name, unknownSentence(name, Object.keys(known)));
    if (Array.isArray(value) && !parameter.isList)
      throw invalid(name, `El parámetro ${name} debe aparecer una sola vez.`);
  }
}

function unknownSentence(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  const shown = JSON.stringify(name.slice(0, 60));
  return nearest
    ? `El parámetro ${shown} no existe. ¿Quisiste decir ${nearest}?`
    : `El parámetro ${shown} no existe: esta operación no recibe parámetros.`;
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
  if (!instant) throw invalid(name, `El parámetro ${name} ${INSTANT_RULE}`);
  return instant;
}

function readText(raw: RawQuery, name: string): string | null {
  const text = raw[name] as string | undefined;
  if (text === undefined) return null;
  if (text === '') throw invalid(name, `El parámetro ${name} no puede estar vacío.`);
  return text;
}

/** Values in order and once each, so that the same list written otherwise is the same filter. */
function readList(raw: RawQuery, name: string, allowed: readonly string[] | null): string[] {
  const value = raw[name];
  if (value === undefined) return [];
  const wanted = [value]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim());
  if (wanted.includes('')) throw invalid(name, `El parámetro ${name} no puede tener valores vacíos.`);
  if (allowed) refuseOthers(name, wanted, allowed);
  refuseNonText(name, wanted);
  if (wanted.length > MOST_VALUES || wanted.some((text) => text.length > MOST_TEXT))
    throw invalid(
      name,
      `El parámetro ${name} admite hasta ${MOST_VALUES} valores de ${MOST_TEXT} caracteres.`,
    );
  return [...new Set(wanted)].sort();
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
