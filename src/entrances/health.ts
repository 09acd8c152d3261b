import { setTimeout as sleep } from 'node:timers/promises';
import { fail } from '../platform/failure.ts';
import { asFailure, contextOf, sendFailure, sendJson } from './http.ts';
import { HEALTH } from './request-rules.ts';
import type { Surface } from './surface.ts';

/** Less than the time that HAProxy gives a check. */
const READY_MS = 4_000;

interface Health {
  /** Fails when what is accepted now could not be kept. */
  readonly checkReady: () => Promise<void>;
  readonly isDraining: () => boolean;
}

/** `/healthz`: the process answers. `/readyz`: it can do its work now. */
export function healthSurfaces(health: Health): Surface[] {
  return [surface(HEALTH.lives, async () => {}), surface(HEALTH.works, () => answerReady(health))];
}

function surface(prefix: string, check: () => Promise<void>): Surface {
  return {
    prefix,
    handle(request, response) {
      const context = contextOf(request);
      if (!['GET', 'HEAD'].includes(request.method ?? ''))
        return sendFailure(
          response,
          fail('method_not_allowed', { headers: { allow: 'GET, HEAD' } }),
          context,
        );
      if (request.url?.split('?', 1)[0] !== prefix)
        return sendFailure(response, fail('not_found'), context);
      check()
        .then(() =>
          sendJson(
            response,
            200,
            JSON.stringify({ data: { status: 'ok' }, meta: { request_id: context.id } }),
          ),
        )
        .catch((error) => sendFailure(response, asFailure(error), context));
    },
  };
}

async function answerReady({ checkReady, isDraining }: Health): Promise<void> {
  if (isDraining()) throw fail('service_unavailable', { headers: { 'retry-after': '5' } });
  await Promise.race([checkReady(), tooLong()]).catch((cause) => {
    throw fail('service_unavailable', { cause });
  });
}

/** A database that hangs refuses nothing. */
async function tooLong(): Promise<never> {
  await sleep(READY_MS, undefined, { ref: false });
  throw new Error(`the check of readiness took more than ${READY_MS} ms`);
}
