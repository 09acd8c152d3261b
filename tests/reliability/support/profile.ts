import type { TestContext } from 'node:test';

/** How much a reliability test does: `small` within `npm test`, `quick` and `long` in the battery. */
export type Profile = 'small' | 'quick' | 'long';

export const profile = readProfile(process.env.BATTERY);

export function sized<T>(sizes: Record<Profile, T>): T {
  return sizes[profile];
}

/** The one line that says what was measured; the battery collects them. */
export function tell(t: Pick<TestContext, 'diagnostic'>, figure: string): void {
  t.diagnostic(`FIGURE ${figure}`);
}

function readProfile(text: string | undefined): Profile {
  if (text === undefined || text === '') return 'small';
  if (text === 'small' || text === 'quick' || text === 'long') return text;
  throw new Error(`BATTERY must be small, quick or long, not ${text}`);
}
