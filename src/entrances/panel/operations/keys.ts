import { z } from 'zod';
import { listKeys } from '../../../features/keys/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const SOON_DAYS = 14;

/** The API keys that end within two weeks, the next one first. */
export const endingKeysOperation = defineRead({
  action: 'manage_keys',
  capability: 'api',
  input: inputOf({}),
  output: z.object({
    data: z.array(
      z.object({ id: z.string(), name: z.string(), last_four: z.string(), expires_at: z.string() }),
    ),
  }),
  async run({ scope, clock }) {
    const [now, soon] = [clock.now(), clock.now().add({ hours: 24 * SOON_DAYS })];
    const isEnding = (at: Temporal.Instant) =>
      Temporal.Instant.compare(at, now) > 0 && Temporal.Instant.compare(at, soon) <= 0;
    const keys = await listKeys(scope);
    return {
      data: keys
        .flatMap(({ id, name, lastFour, expiresAt, revokedAt }) =>
          revokedAt === null && expiresAt !== null && isEnding(expiresAt)
            ? [{ id, name, last_four: lastFour, expires_at: formatMillis(expiresAt) }]
            : [],
        )
        .sort((a, b) => (a.expires_at < b.expires_at ? -1 : 1)),
    };
  },
});
