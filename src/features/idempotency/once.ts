import type { WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { sha256 } from '../../platform/ids.ts';
import * as store from './store.ts';

/** A request that its caller may repeat. */
interface AskedOnce {
  /** The id of the API key, or of the person at a page: requests of another caller are others. */
  readonly callerId: string;
  /** Chosen by the caller. */
  readonly idempotencyKey: string;
  /** All that makes the request what it is, such as its operation and body. */
  readonly what: unknown;
}

/**
 * Makes a request, or gives the answer of the first time, for a day. A repetition that comes
 * meanwhile waits for the first one. A request that fails leaves nothing.
 * @throws Failure idempotency_key_reused where the key was used for another request
 */
export async function once(
  scope: WriteScope,
  asked: AskedOnce,
  make: () => Promise<string>,
): Promise<string> {
  const which = { callerId: asked.callerId, idempotencyKey: asked.idempotencyKey };
  const fingerprint = sha256(JSON.stringify(asked.what));
  const binding = ['idempotent_request', asked.callerId, sha256(asked.idempotencyKey)];
  const vault = await scope.vault();
  if (await store.claim(scope, which, fingerprint, scope.clock.now())) {
    const answer = await make();
    await store.keep(scope, which, vault.seal(binding, Buffer.from(answer)));
    return answer;
  }
  const known = await store.find(scope, which);
  if (known?.fingerprint !== fingerprint || !known.answer_box) throw fail('idempotency_key_reused');
  return vault.open(binding, known.answer_box).toString();
}
