import { MARKETPLACES, ORDER_STATUSES } from '../../connectors/contract.ts';
import { SCOPES } from '../../features/keys/index.ts';
import { PLANS } from '../../features/plans/index.ts';
import { FAILURES, type FailureCode } from '../../platform/failures.ts';

/** Every schema says in Spanish what it holds and shows an example of it. */
interface JsonSchema extends Readonly<Record<string, unknown>> {
  readonly description: string;
  readonly examples: readonly unknown[];
}

const MILLIS = { format: 'date-time', pattern: '\\.\\d{3}Z$' };
const MICROS = { format: 'date-time', pattern: '\\.\\d{6}Z$' };
const NOT_GIVEN = 'null si el marketplace no lo entrega.';

/** As in the header of the same answer. */
export const REQUEST_ID_EXAMPLE = 'req_0mi2x7k4q5f1d0c8a2b6e9374';

const ITEM = {
  title: text('Nombre del producto en la publicación.', 'Taza azul'),
  quantity: whole('Piezas vendidas.', 2),
  unit_price: amount('Precio de una pieza.', 129.95),
  sku: textOrNull(`SKU del vendedor; ${NOT_GIVEN}`, 'TAZA-AZUL'),
};

const LAST_UPDATED = text(
  'Cambia cuando cambia cualquier dato de la orden.',
  '2026-11-16T18:00:00.000001Z',
  MICROS,
);

const ORDER = {
  id: text('Identificador externo, tal como lo entrega el marketplace.', '2000009876543210'),
  marketplace: text('Marketplace de la orden.', 'mercado_libre', { enum: MARKETPLACES }),
  account_id: text('Cuenta del marketplace; junto con marketplace e id identifica la orden.', '468424241'),
  status: text('Estado de la orden, igual para todos los marketplaces.', 'shipped', { enum: ORDER_STATUSES }),
  total: amountOrNull('Importe total; null mientras el marketplace no lo entrega.', 259.9),
  currency: text('Moneda de los importes.', 'MXN'),
  buyer_name: textOrNull(
    'Nombre abreviado del comprador; null mientras el marketplace lo oculta.',
    'Juan P.',
  ),
  date_created: text('Cuándo se creó la orden.', '2026-11-15T12:00:00.000Z', MILLIS),
  date_closed: textOrNull(
    'Cuándo se cerró la orden; null mientras sigue abierta.',
    '2026-11-15T12:01:30.000Z',
    MILLIS,
  ),
};

const Item = record('Un producto de la orden.', ITEM);

const Order = record('Una orden, como aparece en las listas.', {
  ...ORDER,
  items: list('Productos de la orden.', named('Item', Item)),
  last_updated: LAST_UPDATED,
});

const DetailItem = record('Un producto de la orden, con todo su detalle.', {
  ...ITEM,
  id: textOrNull(`Identificador de la publicación; ${NOT_GIVEN}`, 'MLM1234567890'),
  variation: textOrNull(`Variante, como color o talla; ${NOT_GIVEN}`, 'Color: azul'),
  subtotal: amountOrNull(`Importe del renglón; ${NOT_GIVEN}`, 259.9),
  currency: text('Moneda del renglón.', 'MXN'),
});

const Refund = record('Un reembolso.', {
  amount: amount('Importe reembolsado.', 50),
  at: textOrNull(`Cuándo se reembolsó; ${NOT_GIVEN}`, '2026-11-16T10:00:00.000Z', MILLIS),
});

const Shipping = record('El envío de la orden.', {
  carrier: textOrNull(`Paquetería; ${NOT_GIVEN}`, 'Estafeta'),
  tracking_number: textOrNull(`Número de guía; ${NOT_GIVEN}`, '6055900600123456789012'),
  method: textOrNull(`Servicio de envío; ${NOT_GIVEN}`, 'Estándar a domicilio'),
  status: textOrNull(`Estado del envío con las palabras del marketplace; ${NOT_GIVEN}`, 'shipped'),
  shipped_at: textOrNull('Cuándo salió; null si no ha salido.', '2026-11-16T09:30:00.000Z', MILLIS),
  delivered_at: textOrNull(
    'Cuándo se entregó; null si no se ha entregado.',
    '2026-11-18T17:05:00.000Z',
    MILLIS,
  ),
});

const Cfdi = record('La factura de la orden.', {
  required: {
    type: ['boolean', 'null'],
    description: `Si el comprador pidió factura; ${NOT_GIVEN}`,
    examples: [true],
  },
  status: textOrNull('Estado de la factura; null si no hay ninguna ligada.', 'vigente'),
  uuid: textOrNull('Folio fiscal; null si no hay factura ligada.', '5f0c8a34-9d1e-4b7a-8c52-2a6b1f0e9d73'),
});

const ChannelRelations = record('Lo que une a la orden con otras y con sus envíos.', {
  pack_id: textOrNull('Paquete de órdenes que se envían juntas; null si va sola.', '2000004321098765'),
  tags: list('Etiquetas que le puso el marketplace.', text('Una etiqueta.', 'pack_order')),
});

const StatusChange = record('Un estado por el que pasó la orden.', {
  status: text('El estado.', 'paid', { enum: ORDER_STATUSES }),
  marketplace_status: text('El estado con las palabras del marketplace.', 'paid'),
  at: text('Cuándo llegó a ese estado.', '2026-11-15T12:01:30.000Z', MILLIS),
});

const OrderDetail = record('Una orden con todo su detalle.', {
  ...ORDER,
  items: list('Productos de la orden.', named('DetailItem', DetailItem)),
  connection_id: textOrNull(
    'Conexión por la que llegó la orden; null si se importó de un archivo.',
    '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90',
  ),
  marketplace_status: text('El estado con las palabras del marketplace.', 'paid'),
  payment_status: textOrNull(`Estado del pago con las palabras del marketplace; ${NOT_GIVEN}`, 'approved'),
  fulfillment_status: textOrNull(
    `Estado del surtido con las palabras del marketplace; ${NOT_GIVEN}`,
    'shipped',
  ),
  subtotal: amountOrNull(`Suma de los renglones; ${NOT_GIVEN}`, 259.9),
  discount_total: amountOrNull(`Descuentos; ${NOT_GIVEN}`, 0),
  shipping_total: amountOrNull(`Envío que pagó el comprador; ${NOT_GIVEN}`, 0),
  tax_total: amountOrNull(`Impuestos; ${NOT_GIVEN}`, 35.85),
  fees_total: amountOrNull(`Comisiones del marketplace; ${NOT_GIVEN}`, 36.39),
  net_total: amountOrNull(`Lo que recibe el vendedor; ${NOT_GIVEN}`, 223.51),
  refunded_total: amountOrNull(`Suma de los reembolsos; ${NOT_GIVEN}`, 50),
  refunds: list('Reembolsos de la orden.', Refund),
  shipping: {
    oneOf: [{ type: 'null' }, Shipping],
    description: 'El envío; null si el marketplace no lo entrega.',
    examples: Shipping.examples,
  },
  cfdi: Cfdi,
  channel_relations: ChannelRelations,
  status_history: list('Los estados por los que pasó la orden, del primero al último.', StatusChange),
  last_updated: LAST_UPDATED,
});

const REQUEST_ID = text(
  'Identificador de la solicitud; cítalo cuando escribas a soporte.',
  REQUEST_ID_EXAMPLE,
);

const Meta = record('Datos de la respuesta.', { request_id: REQUEST_ID });

const OrderList = record('Una página de órdenes.', {
  data: list('Las órdenes de la página; vacía cuando no hay ninguna.', named('Order', Order)),
  pagination: record('Cómo seguir.', {
    next_cursor: textOrNull('Pásalo en `cursor` para la página siguiente; null en la última.', 'eyJ2IjoxfQ'),
    has_more: {
      type: 'boolean',
      description: 'Si hay más páginas; `false` significa que el recorrido está completo.',
      examples: [true],
    },
  }),
  meta: record('Datos de la respuesta.', {
    request_id: REQUEST_ID,
    as_of: text(
      'El `updated_since` de tu siguiente consulta: con él no se pierde ningún cambio.',
      '2026-11-16T18:00:00.000002Z',
      MICROS,
    ),
  }),
});

const OneOrder = record('El detalle de una orden.', {
  data: named('OrderDetail', OrderDetail),
  meta: named('Meta', Meta),
});

const Key = record('La clave de API en uso.', {
  id: text('Identificador de la clave.', '019a8f52-0d3b-7c61-8f25-7b9e4c2a6d18'),
  name: text('Nombre que le dio tu organización.', 'Hoja de cálculo'),
  last_four: text('Sus últimos cuatro caracteres.', 'x7Qd'),
  scopes: list('Lo que la clave puede leer.', text('Un permiso.', 'orders:read', { enum: SCOPES })),
  created_at: text('Cuándo se generó.', '2026-11-01T15:00:00.000Z', MILLIS),
  expires_at: textOrNull('Cuándo vence; null si no vence.', '2027-01-30T15:00:00.000Z', MILLIS),
  last_used_at: textOrNull(
    'Cuándo se usó por última vez antes de esta solicitud; null si es la primera.',
    '2026-11-16T17:59:30.000Z',
    MILLIS,
  ),
});

const Me = record('Tu organización y tu clave.', {
  data: record('La organización, la clave en uso y los límites.', {
    organization_id: text('Identificador de la organización.', '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42'),
    plan: text('Plan de la organización.', 'intermedio', { enum: Object.keys(PLANS) }),
    marketplaces_connected: whole('Cuántos marketplaces tienen al menos una cuenta conectada.', 3, {
      minimum: 0,
    }),
    trial_ends_at: textOrNull(
      'Cuándo termina el periodo de prueba; null cuando no hay uno en curso.',
      '2026-11-30T18:00:00.000Z',
      MILLIS,
    ),
    key: Key,
    limits: record('Los límites que valen ahora.', {
      requests_per_minute: whole('Solicitudes por minuto de toda la organización.', 500),
      webhooks: text('Qué permite el plan con los webhooks: nada, verlos o todo.', 'read', {
        enum: ['none', 'read', 'full'],
      }),
    }),
  }),
  meta: named('Meta', Meta),
});

const Problem = {
  ...record('El error.', {
    code: text('Para programas; en inglés.', 'invalid_request', { enum: Object.keys(FAILURES) }),
    message: text('Para personas; en español.', 'El parámetro limit debe ser un entero entre 1 y 100.'),
    param: text('El parámetro con el problema, si es de uno.', 'limit'),
    details: {
      type: 'object',
      description: 'Datos para programas, según el código.',
      examples: [{ marketplaces: ['amazon', 'walmart'] }],
    },
  }),
  required: ['code', 'message'],
  examples: [problem('invalid_request')],
};

/** The shapes of every answer, by the name that the OpenAPI document gives them. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Order,
  Item,
  OrderDetail,
  DetailItem,
  OrderList,
  OneOrder,
  Me,
  Meta,
  Error: record('Por qué no se pudo atender la solicitud.', { error: Problem, meta: named('Meta', Meta) }),
};

/** The whole answer with this code, as an example. */
export function failureExample(code: FailureCode): object {
  return { error: problem(code), meta: exampleOf('Meta') };
}

/** A whole answer of this shape, as an example. */
export function exampleOf(name: string): unknown {
  return SCHEMAS[name]?.examples[0];
}

function problem(code: FailureCode): object {
  return { code, message: FAILURES[code].message };
}

function text(description: string, example: string, more: object = {}): JsonSchema {
  return { type: 'string', ...more, description, examples: [example] };
}

function textOrNull(description: string, example: string, more: object = {}): JsonSchema {
  return { type: ['string', 'null'], ...more, description, examples: [example] };
}

function amount(description: string, example: number): JsonSchema {
  return { type: 'number', description, examples: [example] };
}

function amountOrNull(description: string, example: number): JsonSchema {
  return { type: ['number', 'null'], description, examples: [example] };
}

function whole(description: string, example: number, more: object = {}): JsonSchema {
  return { type: 'integer', ...more, description, examples: [example] };
}

/** An object whose properties are all present, and no others. */
function record(description: string, properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const example = Object.entries(properties).map(([name, { examples }]) => [name, examples[0]]);
  return {
    type: 'object',
    required: Object.keys(properties),
    additionalProperties: false,
    properties,
    description,
    examples: [Object.fromEntries(example)],
  };
}

function list(description: string, items: JsonSchema): JsonSchema {
  return { type: 'array', items, description, examples: [[items.examples[0]]] };
}

/** A schema of the document's table, by its name there. */
function named(name: string, { description, examples }: JsonSchema): JsonSchema {
  return { $ref: `#/components/schemas/${name}`, description, examples };
}
