import { z } from 'zod';
import { CARRIERS, type ServiceSlug } from '../../carriers/contract.ts';
import { serviceName } from '../../carriers/registry.ts';
import { MARKETPLACES, type Marketplace } from '../../connectors/contract.ts';
import type { Offer } from '../../features/connections/index.ts';
import { askForHelp, type Operator } from '../../platform/operator.ts';
import { nullable } from './tool.ts';

/** What an answer lacks, and why: what is not to be had is never shown as 0. */
export const Unavailable = z
  .array(
    z.object({
      marketplace: nullable(z.enum(MARKETPLACES)).describe('null si es una paquetería.'),
      carrier: nullable(z.enum(CARRIERS)).describe('null si es un marketplace.'),
      account_id: nullable(z.string()).describe('null si no hay ninguna cuenta conectada.'),
      reason: z.string().describe('Por qué no hay datos.'),
    }),
  )
  .describe('Lo que no está disponible y por qué; no significa 0.');
type Unavailable = z.output<typeof Unavailable>;

const MOST_NAMED = 40;
const NONE = { marketplace: null, carrier: null, account_id: null };

interface Lack {
  /** What it is about, in Spanish, with its article. */
  readonly what: string;
  /** Of the services that the answer is about. */
  readonly offers: readonly Offer[];
  /** Accounts that have something to show lack nothing. */
  readonly hasSome: (offer: Offer) => boolean;
  /** Marketplaces that were asked for by name. */
  readonly asked: readonly Marketplace[];
  /** The role that reconnects accounts. */
  readonly operator: Operator;
}

export function unavailable({ what, offers, hasSome, asked, operator }: Lack): Unavailable {
  const lacking = offers
    .filter((offer) => !hasSome(offer))
    .flatMap((offer) => {
      const reason = reasonOf(offer, what, operator);
      return reason === null
        ? []
        : { ...slugOf(offer.service), account_id: offer.accountId, reason };
    });
  const absent = asked
    .filter((slug) => offers.every(({ service }) => service !== slug))
    .map((slug) => ({
      ...slugOf(slug),
      account_id: null,
      reason: `No disponible: no hay ninguna cuenta de ${serviceName(slug)} conectada.`,
    }));
  const all = [...lacking, ...absent];
  const others = all.length - MOST_NAMED;
  return others <= 0
    ? all
    : [
        ...all.slice(0, MOST_NAMED),
        { ...NONE, reason: `Y ${others} más: get_account dice cómo está cada cuenta.` },
      ];
}

/** Null = it is to be had, and there is just none. */
function reasonOf(
  { service, isOffered, lastSyncAt, state }: Offer,
  what: string,
  operator: Operator,
): string | null {
  if (!isOffered) return `No disponible: ${serviceName(service)} no ofrece ${what} por su API.`;
  if (lastSyncAt !== null) return null;
  if (state === 'disconnected') return 'No disponible: la cuenta ya no está conectada.';
  if (state === 'paused')
    return 'No disponible: la sincronización de la cuenta está en pausa desde el panel.';
  if (state === 'reauth_required')
    return `No disponible: hay que volver a conectar la cuenta. Para hacerlo, ${askForHelp(operator)}.`;
  return 'Todavía no disponible: no ha terminado la primera sincronización.';
}

function slugOf(slug: ServiceSlug) {
  const isCarrier = (CARRIERS as readonly string[]).includes(slug);
  return {
    marketplace: isCarrier ? null : (slug as Marketplace),
    carrier: isCarrier ? (slug as (typeof CARRIERS)[number]) : null,
  };
}
