import { isRaised, raiseAlert } from '../../features/alerts/index.ts';
import { mailTroubledEndpoint } from '../../features/people/index.ts';
import {
  ENDPOINT_ALERTS,
  getEndpoint,
  type TakenEndpoint,
  TRIES,
} from '../../features/webhooks-out/index.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { openPostbox } from '../../platform/mail.ts';
import type { ExchangeParts } from '../parts.ts';

const SENTENCES = {
  gone: 'respondió que ya no quiere recibir eventos, así que quedó desactivado',
  failing: 'falló durante cinco días seguidos, así que quedó desactivado',
  asked: 'quedó desactivado',
  exhausted: `no recibió un evento en ninguno de los ${TRIES} intentos`,
} as const;

/**
 * An endpoint that was disabled, or an event that was given up: an alert, and a mail when that
 * begins.
 */
export async function alertAboutEndpoint(
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
  const kind = disabled === null ? ENDPOINT_ALERTS.exhausted : ENDPOINT_ALERTS.disabled;
  const message = `Tu endpoint de webhooks en ${new URL(url).host} ${SENTENCES[what]}.`;
  await raise({ queue, keyring }, scope, { kind, subject: endpointId, message });
}

/** An endpoint whose secret does not open: nothing can be signed for it until it has another one. */
export async function alertAboutUnreadableSecret(
  parts: Pick<ExchangeParts, 'queue' | 'keyring'>,
  scope: WriteScope,
  endpointId: string,
): Promise<void> {
  const { url } = await getEndpoint(scope, endpointId);
  const message = `No podemos abrir el secreto de tu endpoint de webhooks en ${new URL(url).host}, así que no le entregamos eventos. Rota su secreto.`;
  await raise(parts, scope, { kind: ENDPOINT_ALERTS.unreadable, subject: endpointId, message });
}

async function raise(
  { queue, keyring }: Pick<ExchangeParts, 'queue' | 'keyring'>,
  scope: WriteScope,
  alert: { readonly kind: string; readonly subject: string; readonly message: string },
): Promise<void> {
  const isKnown = await isRaised(scope, alert.kind, alert.subject);
  await raiseAlert(scope, alert, { hasOwnMail: true });
  if (!isKnown) await mailTroubledEndpoint(scope, openPostbox(queue, keyring), alert.message);
}
