import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';
import { isStorable } from '../../platform/json.ts';
import type { Instant } from '../../platform/time.ts';

const MOST_TEXT = 200;

/** An identifier or words, exactly as typed. */
export function wording(description: string) {
  return z
    .string()
    .min(1)
    .max(MOST_TEXT)
    .refine(isStorable, 'tiene caracteres que no son texto.')
    .describe(description)
    .optional();
}

/** @throws Failure invalid_request when a period ends before it begins */
export function refuseBackwards(from: Instant | undefined, to: Instant | undefined): void {
  if (from && to && Temporal.Instant.compare(from, to) > 0)
    throw invalid('from', 'El argumento from debe ser anterior o igual a to.');
}
