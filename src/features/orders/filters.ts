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
    'Solo las que cambiaron, también porque Tianguis corrigió un campo, en este instante o después, de la primera a la ' +
      'última. Para seguir desde una consulta usa su `as_of`; con tu propio reloj, retrocede 60 segundos.',
    '2026-11-20T18:00:00.000000Z',
  ),
  status: choices(
    ORDER_STATUSES,
    'Solo las que están ahora en estos estados. Para seguir cambios de estado con `updated_since` omítelo: una orden que ' +
      'deja el estado ya no aparece.',
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
    'El marketplace de la orden, si el mismo identificador existe en varios.',
    MARKETPLACES[0],
  ),
  account_id: wording(
    'La cuenta de la orden, si el mismo identificador existe en varias.',
    '468424241',
    LONGEST_ACCOUNT,
  ),
};
