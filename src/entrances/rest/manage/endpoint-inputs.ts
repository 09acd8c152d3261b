import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { EVENT_TYPES, SIGNATURES } from '../../../features/webhooks-out/index.ts';
import { inputOf, instant, pageInput, wording } from '../../../platform/input-fields.ts';
import { queryOf } from '../../query.ts';
import { bodyInput } from '../body-input.ts';

const TERMS = {
  types: z
    .array(z.string())
    .optional()
    .meta({
      description: `Los tipos de evento que quieres; sin ellos, todos: ${EVENT_TYPES.join(', ')}.`,
      examples: [['order.created', 'order.status_changed']],
    }),
  marketplaces: z
    .array(z.string())
    .optional()
    .meta({
      description: `Solo eventos de estos marketplaces: ${MARKETPLACES.join(', ')}.`,
      examples: [[MARKETPLACES[0]]],
    }),
  accounts: z
    .array(z.string())
    .optional()
    .meta({ description: 'Solo eventos de estas cuentas.', examples: [['238746110']] }),
  rate: z
    .number()
    .nullish()
    .meta({ description: 'Entregas por minuto como máximo; null = sin límite.', examples: [600] }),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .meta({
      description: 'Encabezados que acompañan cada entrega; se guardan cifrados y no se muestran.',
      examples: [{ 'x-origen': 'tianguis' }],
    }),
};
const URL_FIELD = z.string().meta({
  description: 'La dirección https que recibe los eventos.',
  examples: ['https://ejemplo.mx/webhooks/tianguis'],
});
export const CREATE = bodyInput(
  inputOf({
    url: URL_FIELD,
    ...TERMS,
    signature: z
      .enum(SIGNATURES)
      .optional()
      .meta({
        description: 'Cómo se firman las entregas: `hmac` (de costumbre) o `ed25519`.',
        examples: ['hmac'],
      }),
  }),
);
export const CHANGE = bodyInput(
  inputOf({
    url: URL_FIELD.optional(),
    ...TERMS,
    state: z
      .enum(['enabled', 'disabled'])
      .optional()
      .meta({
        description: '`disabled` detiene las entregas; `enabled` las reanuda, con lo que esperaba.',
        examples: ['enabled'],
      }),
  }),
);
export const RESEND = bodyInput(
  inputOf({
    event_id: wording('Este evento, se haya entregado o no.', 'evt_4h7Jm2Qx9Lr5Tn8Vb3Kc6Wd1'),
    since: instant('Todos los que fallaron desde entonces.', '2026-11-20T00:00:00Z'),
  }),
  ['since'],
);
export const ATTEMPTS_QUERY = queryOf(inputOf(pageInput({ usual: 50, most: 100 })));
