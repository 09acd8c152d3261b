import { z } from 'zod';
import { MARKETPLACES } from '../../connectors/contract.ts';
import { fieldsOf } from '../../platform/documents.ts';
import {
  amount,
  type Described,
  listOf,
  orNull,
  shape,
  text,
  time,
  word,
} from '../../platform/fields.ts';
import { rawNumber as raw } from '../../platform/json.ts';
import { formatMillis } from '../../platform/time.ts';
import { CANDIDATE_REASONS } from './candidates.ts';
import { type CfdiDescription, PAYMENT_STATES } from './describe-cfdi.ts';
import { SAT_STATUSES } from './kinds.ts';
import { CFDI_SUMMARY, writeSummary } from './summary.ts';

const UUID = '0A1B2C3D-4E5F-4678-9ABC-DEF012345678';
const ORDER = {
  marketplace: word(MARKETPLACES, 'Dónde se vendió.', MARKETPLACES[0]),
  account_id: text('La cuenta.', '468424241'),
  order_id: text('Su identificador.', '2000009876543210'),
};
const DOCUMENT: Described = {
  description:
    'El documento leído: emisor, receptor, conceptos, impuestos, pagos y complementos. Los importes son textos, con los dígitos del XML.',
  example: { kind: 'cfdi', version: '4.0', total: '279.90' },
  type: z.looseObject({}),
};

/** One tax document, as programs and the panel get it. */
export const CFDI_DESCRIPTION = shape('Un CFDI o una constancia de retenciones.', {
  ...fieldsOf(CFDI_SUMMARY),
  links: listOf(
    'Las órdenes vinculadas.',
    shape('Una orden vinculada.', {
      ...ORDER,
      origin: word(
        ['marketplace', 'document', 'person'],
        'Quién lo dice: el marketplace, el propio documento o una persona.',
        'marketplace',
      ),
    }),
  ),
  candidates: listOf(
    'Órdenes que podrían corresponder; decide una persona.',
    shape('Una orden posible.', {
      ...ORDER,
      reason: word(
        CANDIDATE_REASONS,
        'Por qué: la nombra, o coinciden SKU, total y fecha, o solo total y fecha.',
        'sku_total_and_date',
      ),
      total: orNull(amount('Su total; null si no se sabe.', 279.9)),
      currency: text('Su moneda.', 'MXN'),
      date_created: orNull(
        time('Cuándo se creó; null si no se consultó.', '2026-11-15T18:00:00.000Z'),
      ),
    }),
  ),
  named_by: listOf(
    'Los documentos que lo nombran.',
    shape('Un documento.', {
      uuid: text('Su folio fiscal.', UUID),
      relation: text('La clave de relación del SAT, o `pago`.', '04'),
      amount: orNull(amount('Lo que paga de este; null si no es un pago.', 100)),
      status: word(SAT_STATUSES, 'Su estado SAT.', 'vigente'),
    }),
  ),
  replaced_by: orNull(text('El folio que lo sustituye; null si ninguno.', UUID)),
  paid_total: orNull(amount('Lo pagado, si es PPD; null si no.', 100)),
  payment_state: orNull(word(PAYMENT_STATES, 'Cómo va su pago, si es PPD; null si no.', 'partial')),
  document: DOCUMENT,
});

/** As JSON text. */
export function writeDescription(described: CfdiDescription): string {
  const { summary, links, candidates, namedBy, replacedBy, paidTotal, paymentState } = described;
  const more = {
    links: links.map(({ order, origin }) => ({ ...orderJson(order), origin })),
    candidates: candidates.map(({ order, reason, total, currency, createdAt }) => ({
      ...orderJson(order),
      reason,
      total: total && raw(total),
      currency,
      date_created: createdAt && formatMillis(createdAt),
    })),
    named_by: namedBy.map(({ uuid, relation, amount: paid, status }) => ({
      uuid,
      relation,
      status,
      amount: paid === null ? null : raw(paid),
    })),
    replaced_by: replacedBy,
    paid_total: paidTotal && raw(paidTotal),
    payment_state: paymentState,
    document: described.document,
  };
  return `${writeSummary(summary, 'list').slice(0, -1)},${JSON.stringify(more).slice(1)}`;
}

function orderJson(order: CfdiDescription['links'][number]['order']) {
  return { marketplace: order.marketplace, account_id: order.accountId, order_id: order.id };
}
