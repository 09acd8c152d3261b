import type { TestContext } from 'node:test';

/**
 * How much a reliability test does: `small` when its file is named, `quick` and `long` in the
 * battery.
 */
type Profile = 'small' | 'quick' | 'long';

export const profile = readProfile(process.env.BATTERY);

export function sized<T>(sizes: Record<Profile, T>): T {
  return sizes[profile];
}

/**
 * CI runs on machines that are busy with other work: what takes longer there is held to ten times
 * the bound.
 */
const LENIENCY = Number(process.env.LENIENCY ?? 1);

/** Milliseconds within which something has to happen on a machine of its own. */
export function within(milliseconds: number): number {
  return milliseconds * LENIENCY;
}

/**
 * A share of what was measured before, which has to be reached again: two thirds of it where other
 * work may have come in between.
 */
export function atLeast(share: number): number {
  return LENIENCY > 1 ? (share * 2) / 3 : share;
}

/** The one line that says what was measured; the battery collects them. */
export function reportFigure(t: Pick<TestContext, 'diagnostic'>, figure: string): void {
  t.diagnostic(`FIGURE ${figure}`);
}

function readProfile(text: string | undefined): Profile {
  if (text === undefined || text === '') return 'small';
  if (text === 'small' || text === 'quick' || text === 'long') return text;
  throw new Error(`BATTERY must be small, quick or long, not ${text}`);
}
