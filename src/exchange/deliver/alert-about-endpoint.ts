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

type AlertParts = Pick<ExchangeParts, 'queue' | 'keyring' | 'publicUrl'>;

const SENTENCES = {
  gone: 'respondió que ya no quiere recibir eventos, así que quedó desactivado',
  failing: 'falló durante cinco días seguidos, así que quedó desactivado',
  asked: 'quedó desactivado',
  // It may have received it: an answer that was cut, or a 500, confirms nothing.
  exhausted: `no confirmó un evento en ninguno de los ${TRIES} intentos`,
} as const;

/**
 * An endpoint that was disabled, or an event that was given up: an alert, and a mail when that
 * begins.
 */
export async function alertAboutEndpoint(
  parts: AlertParts,
  scope: WriteScope,
  { endpointId, url }: Pick<TakenEndpoint, 'endpointId' | 'url'>,
  {
    disabled,
    isExhausted,
  }: { disabled: 'asked' | 'gone' | 'failing' | null; isExhausted: boolean },
): Promise<void> {
  const what = disabled ?? (isExhausted ? 'exhausted' : null);
  if (what === null) return;
  const kind = disabled === null ? 'exhausted' : 'disabled';
  const message = `Tu endpoint de webhooks en ${new URL(url).host} ${SENTENCES[what]}.`;
  await raise(parts, scope, { kind, endpointId, message });
}

/** An endpoint whose secret does not open: nothing can be signed for it until it has another one. */
export async function alertAboutUnreadableSecret(
  parts: AlertParts,
  scope: WriteScope,
  endpointId: string,
): Promise<void> {
  const { url } = await getEndpoint(scope, endpointId);
  const message = `No podemos abrir el secreto de tu endpoint de webhooks en ${new URL(url).host}, así que no le entregamos eventos. Rota su secreto.`;
  await raise(parts, scope, { kind: 'unreadable', endpointId, message });
}

async function raise(
  { queue, keyring, publicUrl }: AlertParts,
  scope: WriteScope,
  trouble: {
    readonly kind: keyof typeof ENDPOINT_ALERTS;
    readonly endpointId: string;
    readonly message: string;
  },
): Promise<void> {
  const alert = {
    ...{ kind: ENDPOINT_ALERTS[trouble.kind], subject: trouble.endpointId },
    message: trouble.message,
  };
  const isKnown = await isRaised(scope, alert.kind, alert.subject);
  await raiseAlert(scope, alert, { hasOwnMail: true });
  if (isKnown) return;
  await mailTroubledEndpoint(scope, { postbox: openPostbox(queue, keyring), publicUrl }, trouble);
}
