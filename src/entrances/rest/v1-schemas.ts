import { KEY_SCOPES } from '../../features/keys/index.ts';
import { ORDER_SHAPES } from '../../features/orders/index.ts';
import { PLANS } from '../../features/plans/index.ts';
import {
  type Described,
  flag,
  listOf,
  name,
  orNull,
  shape,
  stamp,
  text,
  time,
  whole,
  word,
} from '../../platform/fields.ts';
import { META, REQUEST_ID } from './every-answer.ts';

const ORDER_LIST = shape('Una página de órdenes.', {
  data: listOf('Las órdenes de la página; vacía cuando no hay ninguna.', ORDER_SHAPES.Order),
  pagination: shape('Cómo seguir.', {
    next_cursor: orNull(
      text('Pásalo en `cursor` para la página siguiente; null en la última.', 'eyJ2IjoxfQ'),
    ),
    has_more: flag('Si hay más páginas; `false` significa que el recorrido está completo.', true),
  }),
  meta: shape('Datos de la respuesta.', {
    request_id: REQUEST_ID,
    as_of: stamp(
      'El `updated_since` de tu siguiente consulta: con él no se pierde ningún cambio.',
      '2026-11-16T18:00:00.000002Z',
    ),
  }),
});

const ONE_ORDER = shape('El detalle de una orden.', { data: ORDER_SHAPES.OrderDetail, meta: META });

const KEY = shape('La clave de API en uso.', {
  id: name('Identificador de la clave.', '019a8f52-0d3b-7c61-8f25-7b9e4c2a6d18'),
  name: text('Nombre que le dio tu organización.', 'Hoja de cálculo'),
  last_four: text('Sus últimos cuatro caracteres.', 'x7Qd'),
  scopes: listOf('Lo que la clave puede hacer.', word(KEY_SCOPES, 'Un permiso.', 'orders:read')),
  created_at: time('Cuándo se generó.', '2026-11-01T15:00:00.000Z'),
  expires_at: orNull(time('Cuándo vence; null si no vence.', '2027-01-30T15:00:00.000Z')),
  last_used_at: orNull(
    time(
      'Cuándo se usó por última vez antes de esta solicitud; null si es la primera.',
      '2026-11-16T17:59:30.000Z',
    ),
  ),
});

const ME = shape('Tu organización y tu clave.', {
  data: shape('La organización, la clave en uso y los límites.', {
    organization_id: text(
      'Identificador de la organización.',
      '019a8f51-4e7d-7a20-b3c8-1f6d9e0a5b42',
    ),
    plan: word(Object.keys(PLANS), 'Plan de la organización.', 'intermedio'),
    marketplaces_connected: whole('Cuántos marketplaces tienen al menos una cuenta conectada.', 3),
    trial_ends_at: orNull(
      time(
        'Cuándo termina el periodo de prueba; null cuando no hay uno en curso.',
        '2026-11-30T18:00:00.000Z',
      ),
    ),
    key: KEY,
    limits: shape('Los límites que valen ahora.', {
      requests_per_minute: whole('Solicitudes por minuto de toda la organización.', 500),
      webhooks: word(
        ['none', 'read', 'full'],
        'Qué permite el plan con los webhooks: nada, verlos o todo.',
        'read',
      ),
    }),
  }),
  meta: META,
});

/** What the answers of v1 are made of. */
export const V1_SHAPES = {
  ...ORDER_SHAPES,
  OrderList: ORDER_LIST,
  OneOrder: ONE_ORDER,
  Me: ME,
} satisfies Readonly<Record<string, Described>>;
