/**
 * The time zone of a place of issue, by its postal code. Ranges are those of the postal service by
 * state, and of the border municipalities that keep the daylight time of the United States.
 */
import { formatMillis } from '../../../platform/time.ts';

export const CENTRAL = 'America/Mexico_City';

interface Range {
  readonly from: number;
  readonly to: number;
  readonly zone: string;
}

/** The first that fits counts; all others have the time of central Mexico. */
const RANGES: readonly Range[] = [
  { from: 21_000, to: 22_999, zone: 'America/Tijuana' },
  { from: 23_000, to: 23_999, zone: 'America/Mazatlan' },
  // Coahuila: Piedras Negras, Acuña and the towns between them.
  { from: 26_000, to: 26_299, zone: 'America/Matamoros' },
  { from: 32_000, to: 32_699, zone: 'America/Ciudad_Juarez' },
  { from: 32_880, to: 32_899, zone: 'America/Ojinaga' },
  { from: 31_000, to: 33_999, zone: 'America/Chihuahua' },
  // Bahía de Banderas goes by the time of Puerto Vallarta.
  { from: 63_729, to: 63_739, zone: 'America/Bahia_Banderas' },
  { from: 63_000, to: 63_999, zone: 'America/Mazatlan' },
  // Nuevo León: Anáhuac.
  { from: 65_000, to: 65_099, zone: 'America/Matamoros' },
  { from: 77_000, to: 77_999, zone: 'America/Cancun' },
  { from: 80_000, to: 82_999, zone: 'America/Mazatlan' },
  { from: 83_000, to: 85_999, zone: 'America/Hermosillo' },
  // Tamaulipas: Matamoros, Nuevo Laredo, Reynosa and the towns between them.
  { from: 87_300, to: 87_599, zone: 'America/Matamoros' },
  { from: 88_000, to: 88_999, zone: 'America/Matamoros' },
];

export function zoneOf(postalCode: string): string {
  if (!/^\d{5}$/.test(postalCode)) return CENTRAL;
  const code = Number(postalCode);
  return RANGES.find(({ from, to }) => code >= from && code <= to)?.zone ?? CENTRAL;
}

/** Others are no times of tax documents, and the database keeps none of the year 0. */
const CENTURIES = /^(?:19|20|21)\d\d-/;

/**
 * The instant of a local time, in UTC with milliseconds; a time with an offset needs no zone. Null =
 * there is no such day or hour.
 */
export function instantAt(text: string, zone: string): string | null {
  try {
    const instant = /(Z|[+-]\d{2}:\d{2})$/.test(text)
      ? Temporal.Instant.from(text)
      : Temporal.PlainDateTime.from(text, { overflow: 'reject' }).toZonedDateTime(zone).toInstant();
    const time = formatMillis(instant);
    return CENTURIES.test(time) ? time : null;
  } catch {
    return null;
  }
}
