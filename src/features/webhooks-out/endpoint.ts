import { MARKETPLACES } from '../../connectors/contract.ts';
import { invalid } from '../../platform/failure.ts';
import { isInwardHost } from '../../platform/network.ts';
import type { Instant } from '../../platform/time.ts';
import { EVENT_TYPES, type EventType, isEventType } from './event.ts';
import { SIGNATURES, type Signature } from './signing.ts';

/** Why an endpoint receives no more events. */
export type DisabledBecause = 'asked' | 'gone' | 'failing';

/** A customer's address that receives events. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** Empty = all. */
  readonly types: readonly EventType[];
  readonly marketplaces: readonly string[];
  readonly accountIds: readonly string[];
  /** Deliveries a minute; null = as they come. */
  readonly ratePerMinute: number | null;
  /** The operator named it: http and addresses of the own network are allowed. */
  readonly isOperatorTrusted: boolean;
  readonly signature: Signature;
  readonly state: 'enabled' | 'disabled' | 'disabled_by_plan';
  readonly disabledBecause: DisabledBecause | null;
  readonly createdAt: Instant;
  /** Only failures since then; null = the last delivery succeeded, or there was none. */
  readonly failingSince: Instant | null;
}

/** An endpoint as it is asked for. */
export interface EndpointTerms {
  readonly url: string;
  readonly types?: readonly string[] | undefined;
  readonly marketplaces?: readonly string[] | undefined;
  readonly accountIds?: readonly string[] | undefined;
  readonly ratePerMinute?: number | null | undefined;
  /** Sent along with each request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signature?: string | undefined;
  readonly isOperatorTrusted?: boolean | undefined;
}

export type ReadTerms = Omit<
  Endpoint,
  'id' | 'state' | 'disabledBecause' | 'createdAt' | 'failingSince'
> & {
  readonly headers: Readonly<Record<string, string>>;
};

const LONGEST_URL = 2_000;
const BAD_NAME =
  'El dominio de la dirección no es válido: admite hasta 253 caracteres, y de 1 a 63 entre punto y punto.';
const MOST_RATE = 60_000;
const MOST_FILTERED = 100;
const MOST_HEADERS = 20;
const LONGEST_HEADER = 1_000;
/** Ours, or those of the connection. */
const RESERVED =
  /^(webhook-.*|host|connection|content-.*|transfer-encoding|expect|upgrade|te|trailer|accept-encoding|keep-alive|proxy-.*)$/;

/** @throws Failure invalid_request, with the field that is wrong */
export function readTerms(terms: EndpointTerms): ReadTerms {
  const isOperatorTrusted = terms.isOperatorTrusted ?? false;
  return {
    url: readUrl(terms.url, isOperatorTrusted),
    types: readTypes(terms.types ?? []),
    marketplaces: readMarketplaces(terms.marketplaces ?? []),
    accountIds: readAccounts(terms.accountIds ?? []),
    ratePerMinute: readRate(terms.ratePerMinute ?? null),
    headers: readHeaders(terms.headers ?? {}),
    signature: readSignature(terms.signature ?? 'hmac'),
    isOperatorTrusted,
  };
}

function readUrl(text: string, isOperatorTrusted: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const protocols = isOperatorTrusted ? ['https:', 'http:'] : ['https:'];
  if (!url || text.length > LONGEST_URL || !protocols.includes(url.protocol))
    throw invalid('url', 'La dirección debe ser una URL completa que empiece con https://.');
  if (!fitsDns(url.hostname)) throw invalid('url', BAD_NAME);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw invalid('url', 'La dirección no puede llevar usuario, contraseña ni «#».');
  if (url.port !== '' && !isOperatorTrusted)
    throw invalid('url', 'La dirección no puede llevar puerto: usamos el 443.');
  if (isInwardHost(url.hostname) && !isOperatorTrusted)
    throw invalid('url', 'La dirección debe ser pública: no admitimos las de una red interna.');
  return url.href;
}

/** What is longer never resolves. */
function fitsDns(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  return name.length <= 253 && labels.every(({ length }) => length >= 1 && length <= 63);
}

function readTypes(given: readonly string[]): EventType[] {
  const types = given.filter(isEventType);
  if (types.length < given.length)
    throw invalid('types', `Los tipos de evento posibles son: ${EVENT_TYPES.join(', ')}.`);
  return [...new Set(types)];
}

function readMarketplaces(given: readonly string[]): string[] {
  if (given.some((one) => !(MARKETPLACES as readonly string[]).includes(one)))
    throw invalid('marketplaces', `Los marketplaces posibles son: ${MARKETPLACES.join(', ')}.`);
  return [...new Set(given)];
}

function readAccounts(given: readonly string[]): string[] {
  if (given.length > MOST_FILTERED || given.some((one) => one === '' || one.length > 200))
    throw invalid('accounts', `Indica hasta ${MOST_FILTERED} cuentas por su identificador.`);
  return [...new Set(given)];
}

function readRate(given: number | null): number | null {
  if (given !== null && !(Number.isInteger(given) && given >= 1 && given <= MOST_RATE))
    throw invalid('rate', `El ritmo va de 1 a ${MOST_RATE} entregas por minuto.`);
  return given;
}

function readHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(given).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const wrong = entries.find(
    ([name, value]) =>
      !/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(name) ||
      RESERVED.test(name) ||
      !/^[\x20-\x7e]*$/.test(value) ||
      value.length > LONGEST_HEADER,
  );
  if (wrong) throw invalid('headers', `El encabezado «${wrong[0].slice(0, 100)}» no se permite.`);
  if (entries.length > MOST_HEADERS)
    throw invalid('headers', `Indica hasta ${MOST_HEADERS} encabezados.`);
  return Object.fromEntries(entries);
}

function readSignature(given: string): Signature {
  const found = SIGNATURES.find((one) => one === given);
  if (!found) throw invalid('signature', `La firma debe ser una de: ${SIGNATURES.join(', ')}.`);
  return found;
}
