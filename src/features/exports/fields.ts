import { MARKETPLACES } from '../../connectors/contract.ts';
import { type Described, orNull, shape, text, time, whole, word } from '../../platform/fields.ts';
import { EXPORTS, type Exported } from './exports.ts';
import { FORMATS, type FormatName } from './formats.ts';
import type { KeptExport } from './kept.ts';

/** Why an export failed, for people. */
export const FAILURE_WORDS: Readonly<Record<NonNullable<KeptExport['failure']>, string>> = {
  disk_full: 'No hubo espacio para guardarla. Elimina exportaciones o pide un periodo más corto.',
  interrupted: 'Se interrumpió demasiadas veces. Pídela de nuevo.',
};

export const WHAT_NAMES = Object.keys(EXPORTS) as Exported[];
export const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

/** What the formats are, for programs. */
export const FORMAT_MEANS =
  'En qué formato. `ndjson`, `csv` y `xlsx` llevan los nombres y valores de la API; `excel` es un libro de Excel para personas: ' +
  'en español, con la hora de tu organización y una hoja que explica cada columna.';

export const DAYS_MEAN =
  'en la zona horaria de la organización (las ventas por día, en la de la Ciudad de México)';
const DAY = `día, ${DAYS_MEAN}; null = sin ese límite.`;

function nullable(described: Described): Described {
  return { ...described, type: described.type.nullable() };
}

/** An export as programs get it. */
export const EXPORT_SHAPE: Described = shape('Una exportación.', {
  id: text('Su identificador.', '019a8f56-3f5a-7b86-8e97-8c3d2a6fab51'),
  what: word(WHAT_NAMES, 'Qué contiene.', 'orders'),
  format: word(FORMAT_NAMES, FORMAT_MEANS, 'csv'),
  from: orNull(text(`Primer ${DAY}`, '2026-10-01')),
  to: orNull(text(`Último ${DAY}`, '2026-10-31')),
  marketplace: orNull(word(MARKETPLACES, 'El único marketplace; null = todos.', MARKETPLACES[0])),
  payout_id: orNull(text('El único pago, si se pidió desde él; null = todos.', '123456789')),
  state: word(['queued', 'running', 'done', 'failed'], 'Cómo va.', 'done'),
  error: nullable(
    shape('Por qué falló; null si no falló.', {
      code: word(['disk_full', 'interrupted'], 'El código.', 'disk_full'),
      message: text('La explicación.', FAILURE_WORDS.disk_full),
    }),
  ),
  rows: whole('Filas escritas hasta ahora.', 12_480),
  bytes: whole('Bytes escritos hasta ahora.', 8_310_442),
  as_of: orNull(
    text(
      'Las filas están como en este instante; null mientras no se lee la primera.',
      '2026-11-20T15:00:00.000001Z',
    ),
  ),
  created_at: time('Cuándo se pidió.', '2026-11-20T15:00:00.000Z'),
  finished_at: orNull(time('Cuándo terminó.', '2026-11-20T15:01:12.000Z')),
  expires_at: time('Cuándo se elimina.', '2026-11-27T15:00:00.000Z'),
  file: nullable(
    shape('De dónde se descarga; null mientras no esté lista.', {
      url: text(
        'El archivo. No pide clave y admite rangos.',
        'https://tianguis.example/descargas/…',
      ),
      expires_at: time('Hasta cuándo sirve la dirección.', '2026-11-20T15:17:00.000Z'),
    }),
  ),
});
