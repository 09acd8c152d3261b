import { z } from 'zod';
import { MARKETPLACES } from '../../connectors/contract.ts';
import {
  type Described,
  listOf,
  orNull,
  shape,
  text,
  time,
  whole,
  word,
} from '../../platform/fields.ts';
import { formatMillis } from '../../platform/time.ts';
import type { Endpoint } from './endpoint.ts';
import { EVENT_TYPES, LOGGED_TYPES } from './event.ts';
import { OUTCOMES } from './judge.ts';
import type { Attempt } from './list-attempts.ts';
import { SIGNATURES } from './signing.ts';

const ID = text('Identificador del endpoint.', '019a8f53-6b1e-7d40-9c25-8a3f0e7b4d19');
const TYPE = word(EVENT_TYPES, 'Un tipo de evento.', 'order.status_changed');

/** An endpoint as programs get it. */
export const ENDPOINT_SHAPE: Described = shape('Un endpoint de webhooks.', {
  id: ID,
  url: text('La dirección que recibe los eventos.', 'https://ejemplo.mx/webhooks/tianguis'),
  types: listOf('Los tipos de evento que recibe; vacío = todos.', TYPE),
  marketplaces: listOf(
    'Los marketplaces cuyos eventos recibe; vacío = todos.',
    word(MARKETPLACES, 'Un marketplace.', MARKETPLACES[0]),
  ),
  accounts: listOf(
    'Las cuentas cuyos eventos recibe; vacío = todas.',
    text('Una cuenta.', '238746110'),
  ),
  rate: orNull(whole('Entregas por minuto como máximo; null = sin límite.', 600)),
  signature: word(SIGNATURES, 'Cómo se firman las entregas.', 'hmac'),
  state: word(['enabled', 'disabled', 'disabled_by_plan'], 'Si recibe eventos.', 'enabled'),
  disabled_because: orNull(
    word(['asked', 'gone', 'failing'], 'Por qué está desactivado.', 'failing'),
  ),
  failing_since: orNull(
    time(
      'Desde cuándo fallan todas las entregas; null = la última se entregó.',
      '2026-11-20T15:00:00.000Z',
    ),
  ),
  created_at: time('Cuándo se creó.', '2026-11-01T15:00:00.000Z'),
});

export function endpointJson(endpoint: Endpoint) {
  const { id, url, types, marketplaces, accountIds, ratePerMinute, signature, state } = endpoint;
  return {
    id,
    url,
    types,
    marketplaces,
    accounts: accountIds,
    rate: ratePerMinute,
    signature,
    state,
    disabled_because: endpoint.disabledBecause,
    failing_since: endpoint.failingSince && formatMillis(endpoint.failingSince),
    created_at: formatMillis(endpoint.createdAt),
  };
}

/** What is shown once, of a new endpoint or a new secret. */
export const SECRET_SHAPE: Described = shape('El secreto de un endpoint; solo se muestra aquí.', {
  id: ID,
  secret: text(
    'Con él verificas las firmas: `whsec_…`, o la clave pública `whpk_…` de ed25519.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ),
});

export const ATTEMPT_SHAPE: Described = shape('Un intento de entrega.', {
  id: text('Identificador del intento.', '019a8f54-1c2d-7e53-8b64-5f0a9d3c7e28'),
  event_id: text('El evento.', 'evt_4h7Jm2Qx9Lr5Tn8Vb3Kc6Wd1'),
  event_type: text('Su tipo.', 'order.created'),
  at: time('Cuándo empezó.', '2026-11-20T15:00:00.000Z'),
  try: whole('Qué intento del evento es; el primero es 1.', 1),
  outcome: word(OUTCOMES, 'Cómo terminó.', 'delivered'),
  status: orNull(whole('El código HTTP de la respuesta, aunque se cortara; null = no hubo.', 200)),
  milliseconds: whole('Cuánto tardó.', 84),
  answer: text('El principio de la respuesta.', 'ok'),
});

export function attemptJson(attempt: Attempt) {
  const { id, eventId, eventType, at, number, outcome, status, milliseconds, answer } = attempt;
  return {
    id,
    event_id: eventId,
    event_type: eventType,
    at: formatMillis(at),
    try: number,
    outcome,
    status,
    milliseconds,
    answer,
  };
}

/** An event as it is delivered and logged. */
export const EVENT_SHAPE: Described = {
  description: 'Un evento.',
  example: {
    id: 'evt_4h7Jm2Qx9Lr5Tn8Vb3Kc6Wd1',
    type: 'order.status_changed',
    api_version: 'v1',
    organization_id: '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42',
    timestamp: '2026-11-20T15:00:00.000Z',
    sequence: '2026-11-20T15:00:00.000001Z',
    changed: ['status'],
    previous_status: 'paid',
    data: { id: '2000009876543210', marketplace: MARKETPLACES[0], status: 'shipped' },
  },
  type: z.object({
    id: z.string().meta({ description: 'Identificador; el mismo en cada intento de entrega.' }),
    type: z.enum(LOGGED_TYPES).meta({ description: 'Qué pasó.' }),
    api_version: z.string().meta({ description: 'La versión de `data`.' }),
    organization_id: z.string().meta({ description: 'Tu organización.' }),
    timestamp: z.string().meta({ format: 'date-time', description: 'Cuándo pasó.' }),
    sequence: z
      .string()
      .meta({ description: 'Crece con cada evento del mismo objeto: descarta los anteriores.' })
      .optional(),
    changed: z
      .array(z.string())
      .meta({ description: 'Los campos que cambiaron; en `order.created`, todos los de la orden.' })
      .optional(),
    previous_status: z.string().meta({ description: 'El estado anterior.' }).optional(),
    truncated: z
      .boolean()
      .meta({ description: '`true` si `data` solo trae los identificadores.' })
      .optional(),
    data: z.looseObject({}).meta({ description: 'El objeto, como lo da la API.' }),
  }),
};
