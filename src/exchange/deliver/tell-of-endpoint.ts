import { isRaised, raiseAlert } from '../../features/alerts/index.ts';
import { tellOfTroubledEndpoint } from '../../features/people/index.ts';
import type { TakenEndpoint } from '../../features/webhooks-out/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { openPostbox } from '../../platform/mail.ts';
import type { ExchangeParts } from '../parts.ts';

const SENTENCES = {
  gone: 'respondió que ya no quiere recibir eventos, así que quedó desactivado',
  failing: 'falló durante cinco días seguidos, así que quedó desactivado',
  asked: 'quedó desactivado',
  exhausted: 'no recibió un evento en ninguno de los ocho intentos',
} as const;

/**
 * An endpoint that was disabled, or an event that was given up: an alert, and a mail when that
 * begins.
 */
export async function tellOfEndpoint(
  { queue, keyring }: Pick<ExchangeParts, 'queue' | 'keyring'>,
  scope: WriteScope,
  { endpointId, url }: Pick<TakenEndpoint, 'endpointId' | 'url'>,
  {
    disabled,
    isExhausted,
  }: { disabled: 'asked' | 'gone' | 'failing' | null; isExhausted: boolean },
): Promise<void> {
  const what = disabled ?? (isExhausted ? 'exhausted' : null);
  if (what === null) return;
  const kind = disabled === null ? 'webhook_event_exhausted' : 'webhook_endpoint_disabled';
  const message = `Tu endpoint de webhooks en ${new URL(url).host} ${SENTENCES[what]}.`;
  const isKnown = await isRaised(scope, kind, endpointId);
  await raiseAlert(scope, { kind, subject: endpointId, message });
  if (!isKnown) await tellOfTroubledEndpoint(scope, openPostbox(queue, keyring), message);
}
