import { type Line, whyNot } from '../lines/line.ts';
import type { Article } from '../products/measure.ts';

/** Why nothing is sent to the carrier. */
export type ObstacleCode =
  | 'missing_weight'
  | 'missing_dimensions'
  | 'missing_address'
  | 'missing_origin'
  | 'carrier_not_connected'
  | 'carrier_account_ambiguous'
  /** After a restore the carrier's listing could not be read. */
  | 'listing_unread'
  | 'request_overdue'
  | 'transition_not_allowed'
  | 'manual_tracking'
  | 'already_generated'
  /** A former attempt has no answer yet. */
  | 'guide_outcome_unknown';

/** Why a guide cannot be asked for. */
export interface Obstacle {
  readonly code: ObstacleCode;
  /** In Spanish. */
  readonly message: string;
  readonly articles: readonly Article[];
}

/** The codes that have one sentence; the others are described where they arise. */
type DescribedCode = Exclude<
  ObstacleCode,
  'carrier_not_connected' | 'carrier_account_ambiguous' | 'listing_unread' | 'request_overdue'
>;

const SENTENCES: Readonly<
  Record<DescribedCode, (names: readonly string[], line?: Line) => string>
> = {
  missing_weight: (names) =>
    `Falta el peso${of(names)}. Escríbelo en Inventario y vuelve a intentar.`,
  missing_dimensions: (names) =>
    `Faltan las medidas${of(names)}. Escríbelas en Inventario y vuelve a intentar.`,
  missing_address: () =>
    'Falta la dirección de destino. Escríbela en la línea y vuelve a intentar.',
  missing_origin: () => 'Falta el domicilio de recolección en la configuración de logística.',
  transition_not_allowed: (_, line) =>
    `${line ? whyNot(line.state) : ''} No se le puede generar una guía.`,
  manual_tracking: () => 'La línea ya tiene un número de rastreo escrito a mano.',
  already_generated: () => 'La línea ya tiene guía.',
  guide_outcome_unknown: () => 'El intento anterior no tiene resultado todavía.',
};

export function obstacleOf(
  code: DescribedCode,
  articles: readonly Article[] = [],
  line?: Line,
): Obstacle {
  const names = articles.map(({ name }) => name);
  return { code, message: SENTENCES[code](names, line), articles };
}

function of(names: readonly string[]): string {
  return names.length > 0 ? ` de ${names.join(', ')}` : '';
}
