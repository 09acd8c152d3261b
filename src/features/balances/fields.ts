import { CARRIERS, type Carrier, type ServiceSlug } from '../../carriers/contract.ts';
import { MARKETPLACES, type Marketplace, SETTLEMENT_STATUSES } from '../../connectors/contract.ts';
import { document, IN_ANSWERS, IN_EVENTS, membersOf, writerOf } from '../../platform/documents.ts';
import { amount, flag, list, orNull, text, time, word } from '../../platform/fields.ts';
import type { Balance, Settlement } from './balance.ts';

const release = membersOf<NonNullable<Balance['releases']>[number]>();
const RELEASE = {
  at: release.brief('at', time('Cuándo se libera.', '2026-11-20T00:00:00.000Z')),
  amount: release.brief('amount', amount('Cuánto se libera ese día.', 80.1)),
};

const TAKEN_AT = time('De cuándo es el saldo.', '2026-11-16T18:00:00.000Z');

const purse = membersOf<Balance>();
const ofCarriers = { inEventsIf: ({ service }: Balance) => isCarrier(service) };
const ofMarketplaces = { inEventsIf: ({ service }: Balance) => !isCarrier(service) };

/**
 * Every public field of a purse's balance. Answers have a key for everything that may be known:
 * null = not reported, or not applicable at this kind of service. Events have the keys of its own
 * kind.
 */
export const PURSE = {
  marketplace: purse.brief(
    ({ service }) => (isCarrier(service) ? null : (service as Marketplace)),
    orNull(word(MARKETPLACES, 'null si el saldo está en una paquetería.', MARKETPLACES[0])),
    ofMarketplaces,
  ),
  carrier: purse.brief(
    ({ service }) => (isCarrier(service) ? service : null),
    orNull(word<Carrier>(CARRIERS, 'null si el saldo está en un marketplace.', CARRIERS[0])),
    ofCarriers,
  ),
  account_id: purse.brief('accountId', text('La cuenta.', '468424241')),
  purse: purse.brief(
    (of) => (of.purse === '' ? null : of.purse),
    orNull(
      text('El nombre que le da el marketplace; null si la cuenta solo tiene uno.', 'principal'),
    ),
  ),
  currency: purse.brief('currency', text('Los importes de monedas distintas no se suman.', 'MXN')),
  available: purse.brief('available', orNull(amount('Se puede retirar o gastar ya.', 1200.5))),
  pending: purse.brief('pending', orNull(amount('Ganado y todavía no liberado.', 80.1))),
  releases: purse.brief(
    ({ releases = [] }) => releases,
    list(
      'Cuándo se libera lo pendiente; vacía si el marketplace no lo dice.',
      document('Lo que se libera un día.', RELEASE),
    ),
  ),
  balance: purse.brief(
    ({ balance = null }) => balance,
    orNull(amount('Lo pagado por adelantado en la paquetería; negativo si se debe.', 450)),
    ofCarriers,
  ),
  credit_limit: purse.brief(
    ({ creditLimit = null }) => creditLimit,
    orNull(amount('Hasta cuánto fía la paquetería.', 500)),
    ofCarriers,
  ),
  taken_at: purse.brief('asOf', TAKEN_AT, IN_ANSWERS),
  as_of: purse.brief('asOf', TAKEN_AT, IN_EVENTS),
  is_derived: purse.brief(
    'isDerived',
    flag('true = calculado con los estados de cuenta o con otros datos del saldo.', false),
  ),
};

export const writePurse = writerOf(PURSE);

/**
 * Fields that are null because the service does not report them, and not because they do not apply.
 */
export function missingFieldsOf(
  balance: Balance,
): ('available' | 'pending' | 'balance' | 'credit_limit')[] {
  const reported = isCarrier(balance.service)
    ? { available: balance.available, balance: balance.balance, credit_limit: balance.creditLimit }
    : { available: balance.available, pending: balance.pending };
  const names = Object.keys(reported) as (keyof typeof reported)[];
  return names.filter((name) => (reported[name] ?? null) === null);
}

export function isCarrierPurse({ service }: Pick<Balance, 'service'>): boolean {
  return isCarrier(service);
}

function isCarrier(service: ServiceSlug): service is Carrier {
  return CARRIERS.includes(service as Carrier);
}

const settlement = membersOf<Settlement>();

/** Every public field of a payout. */
export const SETTLEMENT = {
  id: settlement.brief('id', text('El pago en el marketplace.', '123456789')),
  marketplace: settlement.brief(
    'marketplace',
    word(MARKETPLACES, 'El marketplace.', MARKETPLACES[0]),
  ),
  account_id: settlement.brief('accountId', text('La cuenta del marketplace.', '468424241')),
  status: settlement.brief(
    'status',
    word(SETTLEMENT_STATUSES, 'Estado del pago, igual para todos los marketplaces.', 'paid'),
  ),
  marketplace_status: settlement.full(
    'marketplaceStatus',
    text('El estado con las palabras del marketplace.', 'approved'),
  ),
  currency: settlement.brief('currency', text('Moneda de los importes.', 'MXN')),
  gross: settlement.brief(
    'gross',
    orNull(
      amount('Lo vendido, antes de lo que cobra el marketplace; null si no lo informa.', 1000),
    ),
  ),
  fees: settlement.brief(
    'fees',
    orNull(amount('Lo que cobra el marketplace, en positivo; null si no lo informa.', 150)),
  ),
  net: settlement.brief('net', amount('Lo que recibe el vendedor.', 850)),
  period_from: settlement.full(
    'from',
    orNull(time('Desde cuándo abarca; null si no se informa.', '2026-11-01T06:00:00.000Z')),
  ),
  period_to: settlement.full(
    'to',
    orNull(time('Hasta cuándo abarca; null si no se informa.', '2026-11-15T06:00:00.000Z')),
  ),
  paid_at: settlement.brief(
    'paidAt',
    orNull(
      time('Cuándo se pagó; null si no se ha pagado o no se informa.', '2026-11-16T18:00:00.000Z'),
    ),
  ),
  reference: settlement.full(
    'reference',
    orNull(text('Referencia de la transferencia; null si no la hay.', 'SPEI 8846')),
  ),
};

export const writeSettlement = writerOf(SETTLEMENT);
