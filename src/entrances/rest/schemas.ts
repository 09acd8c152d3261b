import { MARKETPLACES, ORDER_STATUSES } from '../../connectors/contract.ts';
import { SCOPES } from '../../features/keys/index.ts';
import { PLANS } from '../../features/plans/index.ts';
import { FAILURES } from '../../platform/failures.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };
const amount = { type: 'number' };
const amountOrNull = { type: ['number', 'null'] };
const time = { type: 'string', format: 'date-time', pattern: '\\.\\d{3}Z$' };
const timeOrNull = { type: ['string', 'null'], format: 'date-time', pattern: '\\.\\d{3}Z$' };
const microTime = { type: 'string', format: 'date-time', pattern: '\\.\\d{6}Z$' };

const ITEM = {
  title: text,
  quantity: { type: 'integer' },
  unit_price: amount,
  sku: { ...textOrNull, description: 'SKU del vendedor, si el marketplace lo entrega.' },
};

const ORDER = {
  id: { ...text, description: 'Identificador externo, tal como lo entrega el marketplace.' },
  marketplace: { ...text, enum: MARKETPLACES },
  account_id: {
    ...text,
    description: 'Cuenta del marketplace; junto con marketplace e id identifica la orden.',
  },
  status: { ...text, enum: ORDER_STATUSES },
  total: { ...amountOrNull, description: 'null mientras el marketplace no lo entrega.' },
  currency: { ...text, examples: ['MXN'] },
  buyer_name: {
    ...textOrNull,
    description: 'Abreviado, por ejemplo «Juan P.»; null mientras el marketplace lo oculta.',
  },
  date_created: time,
  date_closed: { ...timeOrNull, description: 'null mientras la orden sigue abierta.' },
};

/** The shapes of every answer, by the name that the OpenAPI document gives them. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Order: record({
    ...ORDER,
    items: list(ref('Item')),
    last_updated: { ...microTime, description: 'Cambia cuando cambia cualquier dato de la orden.' },
  }),
  Item: record(ITEM),
  OrderDetail: record({
    ...ORDER,
    items: list(ref('DetailItem')),
    connection_id: textOrNull,
    marketplace_status: { ...text, description: 'El estado con las palabras del marketplace.' },
    payment_status: textOrNull,
    fulfillment_status: textOrNull,
    subtotal: amountOrNull,
    discount_total: amountOrNull,
    shipping_total: amountOrNull,
    tax_total: amountOrNull,
    fees_total: amountOrNull,
    net_total: amountOrNull,
    refunded_total: amountOrNull,
    refunds: list(record({ amount, at: timeOrNull })),
    shipping: {
      oneOf: [
        { type: 'null' },
        record({
          carrier: textOrNull,
          tracking_number: textOrNull,
          method: textOrNull,
          status: textOrNull,
          shipped_at: timeOrNull,
          delivered_at: timeOrNull,
        }),
      ],
    },
    cfdi: record({ required: { type: ['boolean', 'null'] }, status: textOrNull, uuid: textOrNull }),
    channel_relations: record({ pack_id: textOrNull, tags: list(text) }),
    status_history: list(
      record({ status: { ...text, enum: ORDER_STATUSES }, marketplace_status: text, at: time }),
    ),
    last_updated: microTime,
  }),
  DetailItem: record({
    ...ITEM,
    id: textOrNull,
    variation: textOrNull,
    subtotal: amountOrNull,
    currency: text,
  }),
  OrderList: record({
    data: list(ref('Order')),
    pagination: record({
      next_cursor: {
        ...textOrNull,
        description: 'Pásalo en `cursor` para la página siguiente; null en la última.',
      },
      has_more: { type: 'boolean' },
    }),
    meta: record({
      request_id: text,
      as_of: {
        ...microTime,
        description: 'El `updated_since` de tu siguiente consulta: con él no se pierde ningún cambio.',
      },
    }),
  }),
  OneOrder: record({ data: ref('OrderDetail'), meta: ref('Meta') }),
  Me: record({
    data: record({
      organization_id: text,
      plan: { ...text, enum: Object.keys(PLANS) },
      marketplaces_connected: { type: 'integer', minimum: 0 },
      trial_ends_at: { ...timeOrNull, description: 'null cuando no hay un periodo de prueba en curso.' },
      key: record({
        id: text,
        name: text,
        last_four: text,
        scopes: list({ ...text, enum: SCOPES }),
        created_at: time,
        expires_at: timeOrNull,
        last_used_at: timeOrNull,
      }),
      limits: record({
        requests_per_minute: { type: 'integer' },
        webhooks: { ...text, enum: ['none', 'read', 'full'] },
      }),
    }),
    meta: ref('Meta'),
  }),
  Meta: record({ request_id: { ...text, description: 'Cítalo cuando escribas a soporte.' } }),
  Error: record({
    error: {
      type: 'object',
      required: ['code', 'message'],
      additionalProperties: false,
      properties: {
        code: { ...text, enum: Object.keys(FAILURES) },
        message: { ...text, description: 'En español, para personas.' },
        param: { ...text, description: 'El parámetro con el problema.' },
        details: { type: 'object', description: 'Datos para programas, según el código.' },
        doc_url: text,
      },
    },
    meta: ref('Meta'),
  }),
};

/** An object whose properties are all present, and no others. */
function record(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), additionalProperties: false, properties };
}

function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
