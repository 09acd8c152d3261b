import { z } from 'zod';
import { aside } from './bounds.ts';
import type { Read } from './contract.ts';
import { reasonOf } from './read-rows.ts';
import { tooLarge } from './too-large.ts';
import { UpstreamError, type UpstreamKind } from './upstream-error.ts';

/** Failures of a call for one thing that do not concern the others. */
const OF_ONE_THING: readonly UpstreamKind[] = ['unreadable', 'too_large', 'refused'];

type Asked<Item> = Read<Item> | null | readonly Read<Item>[];

/**
 * Fetches one thing of many. If its answer cannot be used, sets aside that thing, and not its page.
 * @param externalId the id to fetch it again
 */
export async function apart<Item>(
  externalId: string | null,
  ask: () => Promise<Asked<Item>>,
): Promise<readonly Read<Item>[]> {
  try {
    return [await ask()].flat().filter((read) => read !== null);
  } catch (error) {
    if (!isItsOwn(error)) throw error;
    if (externalId !== null && error instanceof UpstreamError && error.kind === 'too_large')
      return [tooLarge(externalId)];
    const reason = reasonOf(error);
    return [aside({ externalId, reason, raw: JSON.stringify({ id: externalId, reason }) })];
  }
}

/**
 * The same for several that one call fetches: in ever smaller parts, until the unusable one is
 * alone.
 */
export async function apartAmong<Item>(
  ids: readonly string[],
  ask: (ids: readonly string[]) => Promise<readonly Read<Item>[]>,
): Promise<readonly Read<Item>[]> {
  const [only] = ids;
  if (only === undefined) return [];
  if (ids.length === 1) return apart(only, () => ask(ids));
  try {
    return await ask(ids);
  } catch (error) {
    // A refusal concerns the query, and a smaller one would be refused too.
    if (!isItsOwn(error) || (error instanceof UpstreamError && error.kind === 'refused'))
      throw error;
    const middle = Math.ceil(ids.length / 2);
    return [
      ...(await apartAmong(ids.slice(0, middle), ask)),
      ...(await apartAmong(ids.slice(middle), ask)),
    ];
  }
}

/** Whether the failure concerns the answer for one thing, by the error that was thrown. */
function isItsOwn(error: unknown): boolean {
  if (error instanceof UpstreamError) return OF_ONE_THING.includes(error.kind);
  return [z.ZodError, SyntaxError, TypeError, RangeError, URIError].some(
    (kind) => error instanceof kind,
  );
}
