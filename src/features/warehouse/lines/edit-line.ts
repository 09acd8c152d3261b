import { hash } from 'node:crypto';
import type { WriteScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { lockOrganization } from '../../organizations/index.ts';
import { mustBeAbleTo } from '../../people/index.ts';
import type { Actor } from '../actor.ts';
import { lockLine, setDestination, setPackages, setTracking } from './change-line.ts';
import type { Line } from './line.ts';
import { lineById } from './list-lines.ts';

/** What a person changes in a line; what is left out stays. */
export interface LineEdit {
  readonly packages?: number;
  /** An address; checked here. */
  readonly destination?: unknown;
  /** A number that the warehouse got elsewhere; null removes it. */
  readonly tracking?: { readonly trackingNumber: string; readonly carrier: string } | null;
}

const VERSION_LENGTH = 22;

/** The version of what people edit in a line: equal content has the same version. */
export function versionOf(line: Line): string {
  const { packages, destination, carrier, trackingNumber } = line;
  const fields = Object.entries(destination ?? {}).sort();
  const content = JSON.stringify([packages, fields, carrier, trackingNumber]);
  return hash('sha256', content, 'base64url').slice(0, VERSION_LENGTH);
}

/**
 * Changes a line that still has this version, all of it or nothing.
 * @throws Failure not_found, insufficient_role, invalid_request, line_changed,
 * transition_not_allowed, tracking_number_in_use
 */
export async function editLine(
  scope: WriteScope,
  actor: Actor,
  { lineId, version }: { readonly lineId: string; readonly version: string },
  { packages, destination, tracking }: LineEdit,
): Promise<Line> {
  mustBeAbleTo(actor.role, 'prepare_lines');
  // Before the line, as `setTracking` takes both.
  await lockOrganization(scope);
  const line = await lockLine(scope, lineId);
  if (versionOf(line) !== version) throw fail('line_changed', { details: { line_id: lineId } });
  if (packages !== undefined) await setPackages(scope, actor, lineId, packages);
  if (destination !== undefined) await setDestination(scope, actor, lineId, destination);
  if (tracking !== undefined) await setTracking(scope, actor, lineId, tracking);
  return lineById(scope, lineId);
}
