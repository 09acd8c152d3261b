/** The form of an endpoint: its fields, and what was typed there. */
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { type Endpoint, EVENT_TYPES, SIGNATURES } from '../../../features/webhooks-out/index.ts';
import { invalid } from '../../../platform/failure.ts';
import { EVENT_SAMPLES } from '../../event-samples.ts';
import { choice, field, type Html, html } from '../../page.ts';
import { type PageRequest, typed } from '../page-request.ts';
import { serviceName } from './access.ts';

/** What the fields hold. */
export interface TermsTyped {
  readonly url: string;
  readonly types: readonly string[];
  readonly marketplaces: readonly string[];
  /** Separated by commas or line ends. */
  readonly accounts: string;
  readonly rate: string;
  /** One a line: `name: value`. */
  readonly headers: string;
  readonly signature: string;
}

export const NOTHING_TYPED: TermsTyped = {
  url: '',
  types: [],
  marketplaces: [],
  accounts: '',
  rate: '',
  headers: '',
  signature: SIGNATURES[0],
};

const SIGNATURE_WORDS: Readonly<Record<(typeof SIGNATURES)[number], string>> = {
  hmac: 'Secreto compartido (HMAC-SHA256), lo usual',
  ed25519: 'Clave pública (ed25519)',
};

export function typedTerms(request: PageRequest): TermsTyped {
  const { form } = request;
  return {
    url: typed(request, 'direccion').trim(),
    types: form.getAll('tipo'),
    marketplaces: form.getAll('marketplace'),
    accounts: typed(request, 'cuentas'),
    rate: typed(request, 'ritmo').trim(),
    headers: typed(request, 'encabezados'),
    signature: form.get('firma') ?? SIGNATURES[0],
  };
}

/** Its headers are sealed: the field is empty, which leaves them as they are. */
export function termsOfEndpoint(endpoint: Endpoint): TermsTyped {
  const { url, types, marketplaces, accountIds, ratePerMinute, signature } = endpoint;
  return {
    url,
    types,
    marketplaces,
    signature,
    headers: '',
    accounts: accountIds.join(', '),
    rate: ratePerMinute === null ? '' : String(ratePerMinute),
  };
}

/** @throws Failure invalid_request where the headers are no lines of «name: value» */
export function termsOf({ accounts, rate, headers, ...others }: TermsTyped) {
  return {
    ...others,
    accountIds: accounts
      .split(/[,\n]/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
    ratePerMinute: rate === '' ? null : Number(rate),
    headers: headersOf(headers),
  };
}

function headersOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      if (at <= 0)
        throw invalid('encabezados', 'Escribe un encabezado por línea, como «X-Origen: tianguis».');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** @param isNew a made endpoint keeps the kind of its signature */
export function termsFields(given: TermsTyped, isNew: boolean): Html {
  const more =
    !isNew ||
    given.marketplaces.length > 0 ||
    [given.accounts, given.rate, given.headers].some(Boolean);
  return html`${field({ name: 'direccion', label: 'Dirección', type: 'url', autocomplete: 'off', value: given.url, most: 2_000, hint: 'La URL https de tu servidor que recibe los eventos.' })}
    <fieldset><legend>Eventos</legend><p class="hint">Si no marcas ninguno, recibe todos.</p>
      ${EVENT_TYPES.map((type) => box('tipo', type, html`<span><code>${type}</code><br>${EVENT_SAMPLES[type].words}</span>`, given.types))}</fieldset>
    <details${more ? html` open` : html``}><summary>Filtros, ritmo y encabezados (opcional)</summary>
      <fieldset><legend>Marketplaces</legend><p class="hint">Si no marcas ninguno, recibe los de todos.</p>
        ${MARKETPLACES.map((one) => box('marketplace', one, serviceName(one), given.marketplaces))}</fieldset>
      ${field({ name: 'cuentas', label: 'Cuentas', autocomplete: 'off', value: given.accounts, most: 20_000, isOptional: true, hint: 'Sus identificadores en el marketplace, separados por comas. Vacío: todas.' })}
      ${field({ name: 'ritmo', label: 'Entregas por minuto como máximo', autocomplete: 'off', inputmode: 'numeric', value: given.rate, most: 5, isOptional: true, hint: 'Vacío: sin límite.' })}
      <label for="encabezados">Encabezados propios</label>
      <p class="hint" id="encabezados-hint">Uno por línea, como «X-Origen: tianguis». Se guardan cifrados y no se vuelven a mostrar.${isNew ? '' : ' Vacío: se quedan los que tiene. Si la dirección nueva es de otro servidor, escríbelos de nuevo o quítalos.'}</p>
      <textarea id="encabezados" name="encabezados" rows="3" spellcheck="false" autocomplete="off" aria-describedby="encabezados-hint">${given.headers}</textarea>
      ${isNew ? html`` : html`<label class="check"><input type="checkbox" name="sin-encabezados" value="1">Quitar los encabezados que tiene</label>`}
    </details>
    ${isNew ? choice({ name: 'firma', label: 'Firma de las entregas', options: SIGNATURES.map((one) => [one, SIGNATURE_WORDS[one]]), chosen: given.signature }) : html``}`;
}

function box(name: string, value: string, words: string | Html, chosen: readonly string[]): Html {
  const checked = chosen.includes(value) ? html` checked` : html``;
  return html`<label><input type="checkbox" name="${name}" value="${value}"${checked}>${words}</label>`;
}
