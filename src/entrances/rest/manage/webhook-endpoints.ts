import { webhookEndpointLimit } from '../../../features/organizations/index.ts';
import type { PlanTerms } from '../../../features/plans/index.ts';
import {
  ATTEMPT_SHAPE,
  attemptJson,
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  ENDPOINT_SHAPE,
  enableEndpoint,
  endpointJson,
  getEndpoint,
  listAttempts,
  listEndpoints,
  resendEvents,
  rotateSecret,
  SECRET_SHAPE,
  sendTest,
} from '../../../features/webhooks-out/index.ts';
import { fail } from '../../../platform/failure.ts';
import { flag, listOf, shape, text, whole } from '../../../platform/fields.ts';
import { isId } from '../../../platform/ids.ts';
import { answeringWith, defineOperation, EVERYWHERE, type OperationRequest } from '../operation.ts';
import {
  answer,
  answerShape,
  pageAnswer,
  pageShape,
  reading,
  writing,
  writingOnce,
} from './calls.ts';
import { ATTEMPTS_QUERY, CHANGE, CREATE, RESEND } from './endpoint-inputs.ts';

const PATH = '/manage/v1/webhook-endpoints';
const ONE = `${PATH}/{id}`;
const ID_MEANS = {
  description: 'Identificador del endpoint.',
  example: '019a8f53-6b1e-7d40-9c25-8a3f0e7b4d19',
};

const EVERY_OPERATION = {
  scope: 'webhooks:write',
  failures: [
    ...EVERYWHERE,
    'insufficient_scope' as const,
    'plan_does_not_include_webhooks' as const,
  ],
  planRefusal: ({ webhooks }: PlanTerms) =>
    webhooks === 'full' ? null : fail('plan_does_not_include_webhooks'),
} as const;
const OF_ONE = {
  ...EVERY_OPERATION,
  idMeans: ID_MEANS,
  failures: [...EVERY_OPERATION.failures, 'not_found' as const],
};

const SHAPES = {
  WebhookEndpoint: ENDPOINT_SHAPE,
  WebhookEndpointList: answerShape(
    'Los endpoints.',
    listOf('Del más antiguo al más reciente.', ENDPOINT_SHAPE),
  ),
  OneWebhookEndpoint: answerShape('Un endpoint.', ENDPOINT_SHAPE),
  WebhookSecret: answerShape('Un secreto.', SECRET_SHAPE),
  DeletedWebhookEndpoint: answerShape(
    'Lo que se eliminó.',
    shape('El endpoint.', {
      id: text('Su identificador.', '019a8f53-6b1e-7d40-9c25-8a3f0e7b4d19'),
      deleted: flag('Siempre `true`.', true),
    }),
  ),
  SentEvent: answerShape(
    'El evento de prueba.',
    shape('El evento.', { event_id: text('Su identificador.', 'evt_4h7Jm2Qx9Lr5Tn8Vb3Kc6Wd1') }),
  ),
  ResentEvents: answerShape(
    'Los eventos que se envían de nuevo.',
    shape('Cuántos son.', { resent: whole('Eventos.', 3) }),
  ),
  WebhookAttemptList: pageShape('Una página de intentos.', ATTEMPT_SHAPE),
};

/** What `webhooks:write` allows. */
export const ENDPOINT_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    ...EVERY_OPERATION,
    path: PATH,
    name: 'listWebhookEndpoints',
    summary: 'Lista tus endpoints',
    description: 'Todos, del más antiguo al más reciente. Una organización tiene 200 como máximo.',
    answer: 'WebhookEndpointList',
    async run(parts, request) {
      const found = await reading(parts, request, listEndpoints);
      return answer(request, found.map(endpointJson));
    },
  }),
  defineOperation({
    ...EVERY_OPERATION,
    write: { method: 'POST', body: CREATE, status: 201, isOnce: true },
    path: PATH,
    name: 'createWebhookEndpoint',
    summary: 'Crea un endpoint',
    description:
      'La respuesta trae el secreto con el que verificas las firmas; no se vuelve a mostrar.',
    answer: 'WebhookSecret',
    failures: [
      ...EVERY_OPERATION.failures,
      'webhook_endpoint_limit_reached',
      'idempotency_key_reused',
    ],
    async run(parts, request) {
      const { accounts, rate, ...terms } = request.fields;
      const given = { ...terms, accountIds: accounts, ratePerMinute: rate };
      const made = await writingOnce(parts, request, 'createWebhookEndpoint', async (scope, by) =>
        createEndpoint(scope, by, given, await webhookEndpointLimit(scope)),
      );
      return answer(request, made);
    },
  }),
  defineOperation({
    ...OF_ONE,
    path: ONE,
    name: 'getWebhookEndpoint',
    summary: 'Consulta un endpoint',
    description: 'Su configuración y si recibe eventos.',
    answer: 'OneWebhookEndpoint',
    async run(parts, request) {
      const id = idOf(request);
      return answer(
        request,
        endpointJson(await reading(parts, request, (scope) => getEndpoint(scope, id))),
      );
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'PATCH', body: CHANGE, status: 200 },
    path: ONE,
    name: 'changeWebhookEndpoint',
    summary: 'Cambia un endpoint',
    description:
      'Los campos que no envías se quedan como están. Si `url` es de otro servidor y el endpoint tiene encabezados, envía también `headers`; `{}` los quita.',
    answer: 'OneWebhookEndpoint',
    failures: [...OF_ONE.failures, 'webhook_endpoint_limit_reached'],
    async run(parts, request) {
      const id = idOf(request);
      const { state, accounts, rate, ...terms } = request.fields;
      const change = { ...terms, accountIds: accounts, ratePerMinute: rate };
      const isChanged = Object.values(change).some((value) => value !== undefined);
      const changed = await writing(parts, request, async (scope, by) => {
        if (isChanged) await changeEndpoint(scope, by, id, change);
        if (state === 'enabled')
          await enableEndpoint(scope, by, id, await webhookEndpointLimit(scope));
        if (state === 'disabled') await disableEndpoint(scope, by, id);
        return getEndpoint(scope, id);
      });
      return answer(request, endpointJson(changed));
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'DELETE', body: null, status: 200 },
    path: ONE,
    name: 'deleteWebhookEndpoint',
    summary: 'Elimina un endpoint',
    description: 'Lo que faltaba por entregarle se descarta. Sus intentos se conservan 30 días.',
    answer: 'DeletedWebhookEndpoint',
    async run(parts, request) {
      const id = idOf(request);
      await writing(parts, request, (scope, by) => deleteEndpoint(scope, by, id));
      return answer(request, { id, deleted: true });
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'POST', body: null, status: 200, isOnce: true },
    path: `${ONE}/rotate-secret`,
    name: 'rotateWebhookSecret',
    summary: 'Rota el secreto',
    description: 'Da un secreto nuevo. El anterior firma también durante 24 horas.',
    answer: 'WebhookSecret',
    failures: [...OF_ONE.failures, 'idempotency_key_reused'],
    async run(parts, request) {
      const id = idOf(request);
      return answer(
        request,
        await writingOnce(parts, request, 'rotateWebhookSecret', (scope, by) =>
          rotateSecret(scope, by, id),
        ),
      );
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'POST', body: null, status: 202, isOnce: true },
    path: `${ONE}/test`,
    name: 'testWebhookEndpoint',
    summary: 'Envía un evento de prueba',
    description:
      'Un evento `webhook.test` solo para este endpoint. Mira el resultado en sus intentos.',
    answer: 'SentEvent',
    failures: [...OF_ONE.failures, 'webhook_endpoint_disabled', 'idempotency_key_reused'],
    async run(parts, request) {
      const id = idOf(request);
      const eventId = await writingOnce(parts, request, 'testWebhookEndpoint', (scope, by) =>
        sendTest(scope, by, id),
      );
      return answer(request, { event_id: eventId });
    },
  }),
  defineOperation({
    ...OF_ONE,
    write: { method: 'POST', body: RESEND, status: 202, isOnce: true },
    path: `${ONE}/resend`,
    name: 'resendEvents',
    summary: 'Envía eventos de nuevo',
    description:
      'Un evento, con `event_id`, o todos los que fallaron desde una fecha, con `since`: envía uno de los dos. Lo que se está enviando ahora no se duplica.',
    answer: 'ResentEvents',
    failures: [...OF_ONE.failures, 'webhook_endpoint_disabled', 'idempotency_key_reused'],
    async run(parts, request) {
      const id = idOf(request);
      const what = request.fields;
      const resent = await writingOnce(parts, request, 'resendEvents', (scope, by) =>
        resendEvents(scope, by, id, what),
      );
      return answer(request, { resent });
    },
  }),
  defineOperation({
    ...OF_ONE,
    query: ATTEMPTS_QUERY,
    refused: { limit: '500' },
    path: `${ONE}/attempts`,
    name: 'listWebhookAttempts',
    summary: 'Lista los intentos de entrega',
    description:
      'Del más reciente al más antiguo, de los últimos 30 días; también los de un endpoint eliminado.',
    answer: 'WebhookAttemptList',
    failures: [...OF_ONE.failures, 'invalid_cursor'],
    async run(parts, request) {
      const page = { ...request.query, endpointId: idOf(request) };
      const { attempts, nextCursor } = await reading(parts, request, (scope) =>
        listAttempts(scope, parts.cursors, page),
      );
      return pageAnswer(
        request,
        attempts.map((one) => JSON.stringify(attemptJson(one))),
        nextCursor,
      );
    },
  }),
]);

/** @throws Failure not_found */
function idOf({ id }: OperationRequest): string {
  if (!isId(id))
    throw fail('not_found', { message: 'No existe un endpoint con ese identificador.' });
  return id;
}
