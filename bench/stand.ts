import type { DataSet } from './data.ts';
import type { Served } from './processes.ts';

/** What every row measures with. */
export interface Stand {
  readonly set: DataSet;
  readonly instance: Served;
  readonly isQuick: boolean;
  readonly rounds: number;
  /** Length of one turn of a load. */
  readonly turnMilliseconds: number;
  /** Deferred work runs at the end of the run, also of one that is cut short. */
  readonly closing: AsyncDisposableStack;
  /** Processor seconds of the database server so far; 0 where that cannot be seen. */
  databaseSeconds(): Promise<number>;
  /** Starts a peer that ends with the run. */
  peer(kind: 'pages' | 'hello' | 'commit'): Promise<Served>;
}

/** One measured figure, beside what it must be. */
export interface Finding {
  readonly row: string;
  readonly what: string;
  readonly figure: string;
  /** What is held against the bar, one number a round. */
  readonly ratios: readonly number[];
  readonly bar: string;
  readonly passes: boolean;
  /** Present where the figure shows nothing: something is missing here, or its guard failed. */
  readonly isMeasured?: false;
  /** One sentence. */
  readonly limit: string;
}

/** A row that could not be measured. It neither holds nor fails. */
export function notMeasured(about: Pick<Finding, 'row' | 'what' | 'bar'>, why: string): Finding {
  return {
    ...about,
    figure: 'not measured',
    ratios: [],
    passes: false,
    isMeasured: false,
    limit: why,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/**
 * Lets every side have its turn in every round, in changing order: what else the machine does hits
 * all alike.
 */
export async function takeTurns<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number>>,
): Promise<Record<Side, number[]>> {
  const names = Object.keys(sides) as Side[];
  const figures = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Side,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed())
      figures[name].push(await sides[name]());
  }
  return figures;
}

export function ratiosOf(ones: readonly number[], others: readonly number[]): number[] {
  return ones.map((one, index) => one / (others[index] as number));
}
