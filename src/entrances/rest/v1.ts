import { LONGEST_ACCOUNT } from '../../connectors/contract.ts';
import {
  emptyPage,
  getOrder,
  listOrders,
  NAMESAKE_FILTERS,
  ORDER_FILTERS,
  type OrderPage,
} from '../../features/orders/index.ts';
import { describeOrganization, effectiveTerms } from '../../features/organizations/index.ts';
import { USUAL_QUOTA } from '../../features/plans/index.ts';
import { fail, invalid } from '../../platform/failure.ts';
import type { FailureCode } from '../../platform/failures.ts';
import { type Given, inputOf, pageInput } from '../../platform/input-fields.ts';
import { formatMillis, formatMillisOrNull } from '../../platform/time.ts';
import { queryOf } from '../query.ts';
import {
  type Api,
  answeringWith,
  defineOperation,
  EVERYWHERE,
  type OperationParts,
  type OperationRequest,
} from './operation.ts';
import { V1_SHAPES } from './v1-schemas.ts';

/**
 * Characters of an address that all accounts of a filter may take, each with the name of the
 * parameter. With it the cursor of a page fits an address, also where the filters are repeated
 * beside it.
 */
const MOST_ACCOUNTS_LENGTH = 2_000;
const NAME_LENGTH = '&account_id='.length;

export const ORDER_QUERY = queryOf(
  inputOf({ ...pageInput({ usual: 50, most: 100 }), ...ORDER_FILTERS }),
  {
    account_id:
      'Una o varias, separadas por comas o repitiendo el parámetro; en conjunto, hasta ' +
      `${MOST_ACCOUNTS_LENGTH} caracteres de la dirección. Si una cuenta lleva una coma, escribe \`\\,\` en su lugar, y \`\\\\\` ` +
      'en el de una diagonal invertida.',
  },
);
type OrderQuery = Given<(typeof ORDER_QUERY)['input']>;
const NAMESAKE_QUERY = queryOf(inputOf(NAMESAKE_FILTERS));

const INTRODUCTION = `API REST de Tianguis, versión 1. Reúne las órdenes de tus marketplaces en un solo lugar.

**Autenticación.** Envía tu clave en \`Authorization: Bearer <clave>\`. La API está incluida desde el plan Intermedio.

**Cuota.** ${USUAL_QUOTA} solicitudes por minuto por organización (Experto: a la medida), compartidas con el punto de acceso para agentes. Cada respuesta
trae \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` y \`X-RateLimit-Reset\`. Ante un 429 espera los segundos de \`Retry-After\` (con un poco de
variación al azar) y repite; si vuelve a fallar, duplica la espera hasta 30 segundos.

**Sincronización.** Consulta \`/v1/orders?updated_since=…\`, recorre todas las páginas y usa \`meta.as_of\` como \`updated_since\` de la siguiente vez.
La entrega es de al menos una vez: guarda por \`marketplace\`, \`account_id\` e \`id\`. Las órdenes nunca desaparecen; cambian de estado.
Sincroniza sin el filtro \`status\`: con él no te enteras de las órdenes que dejaron ese estado.
Cuando una versión nueva de Tianguis agrega o corrige campos, volvemos a leer las órdenes guardadas durante unas horas: muchas órdenes antiguas
pueden aparecer con otro \`last_updated\`, sin que haya ningún evento. Recorre las páginas como siempre.

**Solo lectura.** Cada operación se pide con \`GET\`; \`HEAD\` da los mismos encabezados sin el cuerpo.

**Compatibilidad.** Dentro de v1 pueden aparecer campos, valores, parámetros opcionales y códigos nuevos; tu aplicación debe tolerarlos.
El retiro de una versión se anuncia al menos un año antes: desde entonces cada respuesta trae \`Deprecation\` y \`Sunset\`, y quienes administran
las claves en uso reciben un correo 12, 6 y 1 meses antes. Después de esa fecha, cada solicitud recibe 410 \`version_retired\`.`;

const ANYWHERE: readonly FailureCode[] = [...EVERYWHERE, 'version_retired'];

/** The three operations of v1. */
const OPERATIONS = answeringWith(V1_SHAPES, [
  defineOperation({
    path: '/v1/orders',
    name: 'listOrders',
    summary: 'Lista órdenes',
    description:
      'Todas las órdenes de tu organización, de la más reciente a la más antigua; con `updated_since`, las que cambiaron desde ' +
      'entonces, en el orden en que cambiaron. Recorre las páginas con `pagination.next_cursor` hasta que `has_more` sea `false`.',
    scope: 'orders:read',
    query: ORDER_QUERY,
    answer: 'OrderList',
    refused: { limit: '500' },
    failures: [...ANYWHERE, 'insufficient_scope', 'invalid_cursor'],
    async run(parts, request) {
      const page = await orders(parts, request);
      const pagination = JSON.stringify({
        next_cursor: page.nextCursor,
        has_more: page.nextCursor !== null,
      });
      return `{"data":${page.json},"pagination":${pagination},"meta":{"request_id":"${request.requestId}","as_of":"${page.asOf.text}"}}`;
    },
  }),
  defineOperation({
    path: '/v1/orders/{id}',
    idMeans: {
      description:
        'Identificador externo de la orden; codifica los caracteres especiales (%2F, %23).',
      example: '2000009876543210',
    },
    name: 'getOrder',
    summary: 'Consulta una orden',
    description:
      'El detalle de una orden por su identificador en el marketplace, tal como el marketplace lo entrega.',
    scope: 'orders:read',
    query: NAMESAKE_QUERY,
    answer: 'OneOrder',
    refused: { marketplace: 'ebay' },
    failures: [...ANYWHERE, 'insufficient_scope', 'order_not_found', 'ambiguous_order_id'],
    async run({ database }, { access, query, id, requestId, context }) {
      const which = { id, ...query };
      // PostgreSQL's text has no NUL, so no order has one.
      if (id.includes('\0')) throw fail('order_not_found');
      const json = await database
        .within(access.organization.id)
        .read((scope) => getOrder(scope, which, 'whole'), { signal: context.signal });
      return `{"data":${json},"meta":{"request_id":"${requestId}"}}`;
    },
  }),
  defineOperation({
    path: '/v1/me',
    name: 'getMe',
    summary: 'Tu organización y tu clave',
    description:
      'La llamada más barata para comprobar el acceso: organización, plan, clave en uso y límites.',
    scope: null,
    answer: 'Me',
    refused: { fields: 'key' },
    failures: ANYWHERE,
    async run({ database }, { access, requestId, context }) {
      const { key, organization, lastUsedAt } = access;
      const described = await database
        .within(organization.id)
        .read((scope) => describeOrganization(scope, organization), { signal: context.signal });
      const terms = effectiveTerms(organization);
      const data = {
        ...described,
        trial_ends_at: formatMillisOrNull(described.trial_ends_at),
        key: {
          id: key.id,
          name: key.name,
          last_four: key.lastFour,
          scopes: key.scopes,
          created_at: formatMillis(key.createdAt),
          expires_at: formatMillisOrNull(key.expiresAt),
          last_used_at:
            lastUsedAt === null
              ? null
              : formatMillisOrNull(Temporal.Instant.fromEpochMilliseconds(lastUsedAt)),
        },
        limits: { requests_per_minute: terms.requestsPerMinute, webhooks: terms.webhooks },
      };
      return JSON.stringify({ data, meta: { request_id: requestId } });
    },
  }),
]);

export const V1: Api = {
  path: '/v1',
  version: 'v1',
  title: 'Tianguis',
  introduction: INTRODUCTION,
  ...OPERATIONS,
};

async function orders(
  { database, cursors, clocks }: OperationParts,
  { access, query, context }: OperationRequest & { readonly query: OrderQuery },
): Promise<OrderPage> {
  requireShort(query.accountId);
  const organizationId = access.organization.id;
  const clock = query.cursor === null ? await clocks.get(organizationId) : null;
  const empty = emptyPage(clock, query.updatedSince);
  if (empty) return empty;
  return database
    .within(organizationId)
    .list((scope) => listOrders(scope, cursors, { ...query, list: 'rest' }, clock), {
      signal: context.signal,
    });
}

/** @throws Failure invalid_request: together they take too much of an address */
function requireShort(accountIds: readonly string[]): void {
  const lengths = accountIds.map(
    (account) => NAME_LENGTH + encodeURIComponent(escaped(account)).length,
  );
  if (lengths.reduce((sum, length) => sum + length, 0) > MOST_ACCOUNTS_LENGTH)
    throw invalid(
      'account_id',
      `El parámetro account_id admite cuentas de hasta ${LONGEST_ACCOUNT} caracteres y, en conjunto, ${MOST_ACCOUNTS_LENGTH} ` +
        'caracteres de la dirección. Reparte las cuentas en varias consultas.',
    );
}

function escaped(value: string): string {
  return value.replace(/[\\,]/g, '\\$&');
}
