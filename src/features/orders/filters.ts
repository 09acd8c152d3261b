import { LONGEST_ACCOUNT, MARKETPLACES, ORDER_STATUSES } from '../../connectors/contract.ts';
import {
  choice,
  choices,
  type GivenBy,
  identifiers,
  instant,
  wording,
} from '../../platform/input-fields.ts';

/** All hold together (AND); a list holds any of its values (OR). */
export const ORDER_FILTERS = {
  from: instant('Creadas en este instante o después.', '2026-11-01T00:00:00Z'),
  to: instant('Creadas en este instante o antes.', '2026-11-30T23:59:59Z'),
  updated_since: instant(
    'Solo las que cambiaron en este instante o después, también las antiguas, de la que cambió primero a la última. ' +
      'Para saber qué cambió desde una consulta usa su `as_of`. Si usas tu propio reloj, retrocede 60 segundos. Una orden ' +
      'también cuenta como cambiada cuando una versión nueva de Tianguis agrega o corrige un campo suyo.',
    '2026-11-20T18:00:00.000000Z',
  ),
  status: choices(
    ORDER_STATUSES,
    'Solo en estos estados. Se compara con el estado que la orden tiene ahora: con `updated_since` no te enteras de que una ' +
      'orden dejó ese estado, porque ya no aparece. Para seguir los cambios de estado, sincroniza sin este filtro.',
    ['paid', 'shipped'],
  ),
  marketplace: choices(MARKETPLACES, 'Solo de estos marketplaces.', MARKETPLACES.slice(0, 2)),
  account_id: identifiers(
    'Solo de estas cuentas del marketplace.',
    ['468424241'],
    LONGEST_ACCOUNT,
    `admite cuentas de hasta ${LONGEST_ACCOUNT} caracteres.`,
  ),
};
export type OrderFilters = GivenBy<typeof ORDER_FILTERS>;

/** Filters that distinguish orders of the same id. */
export const NAMESAKE_FILTERS = {
  marketplace: choice(
    MARKETPLACES,
    'El marketplace de la orden. Hace falta cuando el mismo identificador existe en varios.',
    MARKETPLACES[0],
  ),
  account_id: wording(
    'La cuenta de la orden. Hace falta cuando el mismo identificador existe en varias del mismo marketplace.',
    '468424241',
    LONGEST_ACCOUNT,
  ),
};
