import { type Action, may, type Role } from '../../people/index.ts';
import { type Attempt, isAlive } from '../guides/attempt-types.ts';
import { LINE_ACTIONS, type Line, type LineAction, mayMove } from './line.ts';

const RIGHTS: Readonly<Record<LineAction, Action>> = {
  edit: 'prepare_lines',
  remove_tracking: 'prepare_lines',
  generate_guide: 'prepare_lines',
  cancel_guide: 'cancel_guides',
  set_in_transit: 'set_in_transit',
  transfer: 'prepare_lines',
  undo_transfer: 'undo_transfers',
};

/** What a person with this role may do with a line now; each verb checks it again. */
export function movesOf(
  line: Pick<Line, 'state' | 'trackingNumber' | 'trackingSource'>,
  attempts: readonly Pick<Attempt, 'state' | 'cancelledAt'>[],
  role: Role,
  isOwnFleet: boolean,
): LineAction[] {
  const alive = attempts.find(isAlive);
  const fits: Readonly<Record<LineAction, boolean>> = {
    edit: alive === undefined,
    remove_tracking: alive === undefined && line.trackingSource === 'manual',
    generate_guide: alive === undefined && line.trackingSource !== 'manual',
    cancel_guide: alive?.state === 'ok',
    set_in_transit: isOwnFleet,
    transfer: line.trackingNumber !== null && (alive === undefined || alive.state === 'ok'),
    undo_transfer: true,
  };
  return LINE_ACTIONS.filter(
    (action) => fits[action] && mayMove(line.state, action) && may(role, RIGHTS[action]),
  );
}
