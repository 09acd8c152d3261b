import type { WriteScope } from '../../../platform/db/database.ts';
import { type Line, stateOf } from './line.ts';
import { update } from './store-lines.ts';

type LineNumber = Pick<Line, 'carrier' | 'trackingNumber' | 'guideNumber' | 'trackingSource'>;

const NO_NUMBER: LineNumber = {
  carrier: null,
  trackingNumber: null,
  guideNumber: null,
  trackingSource: null,
};

/** Sets the number of a line, or removes it; the line gets the state that follows from it. */
export async function numberLine(
  scope: WriteScope,
  line: Line,
  number: LineNumber = NO_NUMBER,
): Promise<Line> {
  const numbered = { ...line, ...number };
  const state = stateOf(numbered);
  await update(scope, line.id, {
    state,
    carrier: number.carrier,
    tracking_number: number.trackingNumber,
    guide_number: number.guideNumber,
    tracking_source: number.trackingSource,
  });
  return { ...numbered, state };
}
