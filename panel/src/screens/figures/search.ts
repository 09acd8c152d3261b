import { fromAddress } from '../../address.ts';

/** What the address of the screen holds. */
interface FiguresSearch {
  /** «semana»: the last week by six hours; without it the last day by hour. */
  readonly periodo?: string | undefined;
  /** The figures that are shown as a table instead of a chart, by commas. */
  readonly tabla?: string | undefined;
}

export function figuresSearch(given: Record<string, unknown>): FiguresSearch {
  return fromAddress(given, ['periodo', 'tabla']);
}
