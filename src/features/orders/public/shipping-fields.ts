import type { SourceShipping } from '../../../connectors/contract.ts';
import { membersOf } from '../../../platform/documents.ts';
import { orNull, text, time } from '../../../platform/fields.ts';
import { NOT_GIVEN } from './parts.ts';

const shipping = membersOf<SourceShipping>();
export const SHIPPING = {
  carrier: shipping.full('carrier', orNull(text(`Paquetería; ${NOT_GIVEN}`, 'Estafeta'))),
  tracking_number: shipping.full(
    'trackingNumber',
    orNull(text(`Número de guía; ${NOT_GIVEN}`, '6055900600123456789012')),
  ),
  method: shipping.full(
    'method',
    orNull(text(`Servicio de envío; ${NOT_GIVEN}`, 'Estándar a domicilio')),
  ),
  status: shipping.full(
    'status',
    orNull(text(`Estado del envío con las palabras del marketplace; ${NOT_GIVEN}`, 'shipped')),
  ),
  shipped_at: shipping.full(
    'shippedAt',
    orNull(
      time('Cuándo salió; null si no ha salido o no se sabe cuándo.', '2026-11-16T09:30:00.000Z'),
    ),
  ),
  delivered_at: shipping.full(
    'deliveredAt',
    orNull(
      time(
        'Cuándo se entregó; null si no se ha entregado o no se sabe cuándo.',
        '2026-11-18T17:05:00.000Z',
      ),
    ),
  ),
};
