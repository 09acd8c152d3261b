import {
  DEFAULT_OVERLAP,
  DEFAULT_SCOPES,
  isScope,
  type Key,
  type KeyScope,
  LIFETIMES,
  type MadeKey,
  OVERLAPS,
  READS_OF_KEYS,
  scopesOn,
  stateOf,
} from '../../features/keys/index.ts';
import { effectiveTerms } from '../../features/organizations/index.ts';
import { ENROL_PATH, type FactorLack } from '../../features/people/index.ts';
import { plansWithApi } from '../../features/plans/index.ts';
import { KEY_PREFIX } from '../../platform/api-key.ts';
import { newId } from '../../platform/ids.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import type { Instant } from '../../platform/time.ts';
import { copyButton } from '../copied.ts';
import {
  alarm,
  besideOf,
  COPY_SCRIPT_PATH,
  choice,
  type Fault,
  faultOf,
  field,
  type Html,
  html,
  linkTo,
  note,
} from '../page.ts';
import { SCOPE_WORDS } from '../words.ts';
import {
  addressIn,
  dayFor,
  hiddenIn,
  momentFor,
  nameIn,
  type PageMembership,
  plansLink,
  suspensionNote,
} from './membership.ts';
import { type Reply, withReturn } from './page-request.ts';

export const KEYS_PATH = SITE_PAGES.keys.path;

interface Shown {
  /** Oldest first. */
  readonly keys: readonly Key[];
  /** Names of the organisation's members, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly now: Instant;
  /** What the session lacks to make keys; null = nothing. */
  readonly lack: FactorLack | null;
  readonly typed: KeyTyped;
  readonly said?: string | null;
  readonly wrong?: Fault;
}

/** What was typed for a new key. */
export interface KeyTyped {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Empty = without an end. */
  readonly days: string;
}

export const NOTHING_TYPED: KeyTyped = { name: '', scopes: DEFAULT_SCOPES, days: '' };
/** What a failure names of the form. */
const OF_FORM = ['name', 'scopes', 'days'];

/** The page points out a key that was not used for so long. */
const IDLE_DAYS = 90;
const OVERLAP_WORDS: Readonly<Record<number, string>> = {
  0: 'No: deja de servir ahora',
  1: '1 hora más',
  24: '24 horas más',
  168: '7 días más',
};

export function keysReply(membership: PageMembership, shown: Shown): Reply {
  const { keys, now, said = null, wrong = null } = shown;
  const entries = keys.toReversed().map((key) => ({ key, state: stateOf(key, now) }));
  const works = entries.filter(({ state }) => state === 'active' || state === 'replaced');
  const ended = entries.filter(({ state }) => state === 'expired' || state === 'revoked');
  const active = entries.filter(({ state }) => state === 'active').length;
  const { keys: most } = effectiveTerms(membership.organization);
  return {
    title: SITE_PAGES.keys.name,
    body: html`${note(said)}${besideOf(wrong, ...OF_FORM) ? html`` : alarm(wrong?.message ?? null)}${suspensionNote(membership)}${planNote(membership)}
      <p>${active} de ${most} claves activas.</p>
      ${works.length > 0 ? html`<ul class="cards">${works.map(({ key }) => entryOf(membership, key, shown))}</ul>` : html``}
      ${makeForm(membership, shown)}
      ${ended.length > 0 ? html`<details><summary>Claves que ya no sirven (${ended.length})</summary><ul class="cards">${ended.map(({ key }) => endedEntry(membership, key, shown))}</ul></details>` : html``}
      <p>${linkTo('docs')} · <a href="${addressIn(membership, SITE_PAGES.sheet.path)}">${SITE_PAGES.sheet.name}</a></p>`,
  };
}

/** The key's text is on this page and nowhere else. */
export function madeReply(
  membership: PageMembership,
  { key, scopes }: MadeKey,
  url: string,
): Reply {
  return {
    title: 'Guarda tu clave',
    script: COPY_SCRIPT_PATH,
    body: html`${note('La clave quedó creada. Cópiala ahora: no se vuelve a mostrar.')}
      <p><code class="secret" id="clave-de-api">${key}</code></p>
      ${copyButton('clave-de-api', 'Copiar la clave')}
      ${effectiveTerms(membership.organization).api ? firstCall(key, scopes, url) : planNote(membership)}
      <p>Lo que sigue está en la ${linkTo('docs')}.</p>
      <p>Quien tenga esta clave puede leer los datos permitidos de «${membership.organization.name}». Si la pierdes, regenérala.</p>
      <p><a href="${addressIn(membership, KEYS_PATH)}">Listo, la guardé</a></p>`,
  };
}

function firstCall(key: string, scopes: MadeKey['scopes'], url: string): Html {
  const readsOrders = scopes.includes('orders:read');
  const path = readsOrders ? '/v1/orders?limit=5' : '/v1/me';
  return html`<p>${readsOrders ? 'Para ver tus últimas cinco órdenes, pega esto en tu terminal:' : 'Esta clave no puede leer órdenes. Para ver qué puede leer, pega esto en tu terminal:'}</p>
      <pre><code id="llamada">curl -H "Authorization: Bearer ${key}" "${url}${path}"</code></pre>
      ${copyButton('llamada', 'Copiar la llamada')}`;
}

/** In place of a second key, where the form of the first one comes again. */
export function madeBeforeReply(membership: PageMembership, key: Key): Reply {
  return {
    title: 'Esa clave ya quedó creada',
    status: 409,
    body: html`<p role="alert">La clave «${key.name}» ya quedó creada, y se mostró una sola vez. No se creó otra.</p>
      <p>${maskOf(key)}</p>
      <p>Si no la guardaste, regenérala o revócala en la lista.</p>
      <p><a href="${addressIn(membership, KEYS_PATH)}">Ver las claves</a></p>`,
  };
}

export function renewalReply(membership: PageMembership, key: Key): Reply {
  return {
    title: `Regenerar «${key.name}»`,
    body: html`<p>${maskOf(key)}</p>
      <p>Se crea otra clave con el mismo nombre, los mismos permisos y la misma vigencia.</p>
      <form method="post" action="/cuenta/claves/regenerar">${hiddenIn(membership, { clave: key.id, formulario: newId() })}
        ${choice({
          name: 'traslape',
          label: '¿Cuánto tiempo más debe funcionar la anterior?',
          options: OVERLAPS.map((hours) => [
            String(hours),
            OVERLAP_WORDS[hours] ?? `${hours} horas más`,
          ]),
          chosen: String(DEFAULT_OVERLAP),
        })}
        <button>Regenerar la clave</button>
      </form>
      <p><a href="${addressIn(membership, KEYS_PATH)}">Cancelar</a></p>`,
  };
}

export function revocationReply(membership: PageMembership, key: Key): Reply {
  return {
    title: `¿Revocar «${key.name}»?`,
    body: html`<p>${maskOf(key)}</p>
      <p>Todo lo que use esta clave dejará de funcionar al instante. No se puede deshacer.</p>
      <form method="post" action="/cuenta/claves/revocar">${hiddenIn(membership, { clave: key.id })}
        <button>Revocar la clave</button>
      </form>
      <p><a href="${addressIn(membership, KEYS_PATH)}">Cancelar</a></p>`,
  };
}

/** What the plan lacks, and where it is changed. */
function planNote(membership: PageMembership): Html {
  const { api, name } = effectiveTerms(membership.organization);
  return api
    ? html``
    : html`<p>Tu plan ${name} no incluye la API: las claves que crees servirán cuando cambies a ${plansWithApi()}. ${plansLink(membership)}</p>`;
}

function entryOf(membership: PageMembership, key: Key, { now, names, lack }: Shown): Html {
  const unseen = html`<span class="unseen"> «${key.name}»</span>`;
  const to = (path: string) => addressIn(membership, path, { clave: key.id });
  const renew = html`<a href="${to('/cuenta/claves/regenerar')}">Regenerar${unseen}</a> · `;
  const isIdle =
    Temporal.Instant.compare(
      (key.lastUsedAt ?? key.createdAt).add({ hours: 24 * IDLE_DAYS }),
      now,
    ) <= 0;
  return html`<li>${factsOf(membership, key, names)}
    <p>${key.lastUsedAt ? `Último uso: ${momentFor(membership, key.lastUsedAt)}` : 'Sin usar'}</p>
    <p>${endOf(membership, key)}</p>
    ${isIdle ? html`<p>Nadie la usa desde hace ${IDLE_DAYS} días: si ya no hace falta, revócala.</p>` : html``}
    <p>${key.isReplaced || lack === 'none_enrolled' || membership.organization.isSuspended ? html`` : renew}<a href="${to('/cuenta/claves/revocar')}">Revocar${unseen}</a></p></li>`;
}

function endedEntry(membership: PageMembership, key: Key, { names }: Shown): Html {
  const at = key.revokedAt ?? key.expiresAt ?? key.createdAt;
  return html`<li>${factsOf(membership, key, names)}<p>${key.revokedAt ? 'Revocada' : 'Venció'} el ${momentFor(membership, at)}</p></li>`;
}

function factsOf(membership: PageMembership, key: Key, names: Shown['names']): Html {
  return html`<p><strong>${key.name}</strong></p>
    <p>${maskOf(key)}</p>
    <p>Permisos: ${key.scopes.map(shortNameOf).join(', ')}</p>
    <p>Creada el ${dayFor(membership, key.createdAt)}${makerOf(key, names)}</p>`;
}

function makerOf({ madeBy }: Key, names: Shown['names']): string {
  if (madeBy === null) return '';
  return madeBy === 'operator'
    ? ' por el operador de Tianguis'
    : ` por ${nameIn(names, madeBy.personId)}`;
}

function endOf(membership: PageMembership, { isReplaced, expiresAt }: Key): string {
  if (isReplaced && expiresAt)
    return `Reemplazada por otra; sirve hasta el ${momentFor(membership, expiresAt)}`;
  return expiresAt ? `Activa; vence el ${momentFor(membership, expiresAt)}` : 'Activa; no vence';
}

function maskOf({ lastFour }: Key): Html {
  return html`<code>${KEY_PREFIX}…${lastFour}</code>`;
}

function shortNameOf(scope: KeyScope): string {
  return SCOPE_WORDS[scope].split(':', 1)[0] ?? scope;
}

function makeForm(membership: PageMembership, shown: Shown): Html {
  const { lack, typed, wrong = null } = shown;
  if (membership.organization.isSuspended) return html``;
  if (lack === 'not_used')
    return html`<h2>Crear una clave</h2>
      <p>Para crear o regenerar claves <a href="${withReturn('/cuenta/confirmar', addressIn(membership, KEYS_PATH))}">confirma que eres tú</a> con tu código o tu llave de acceso.</p>`;
  if (lack === 'none_enrolled')
    return html`<h2>Crear una clave</h2>
      <p>Para crear o regenerar claves activa antes la <a href="${withReturn(ENROL_PATH, addressIn(membership, KEYS_PATH))}">verificación en dos pasos</a> o agrega una <a href="/cuenta#llaves">llave de acceso</a>.</p>`;
  const manages = scopesOn(effectiveTerms(membership.organization)).filter((one) => !isScope(one));
  const [permissions, lifetime] = [besideOf(wrong, 'scopes'), besideOf(wrong, 'days')];
  const box = (scope: KeyScope) => boxOf(scope, typed.scopes);
  const lifetimes = LIFETIMES.map((days) => [String(days), `${days} días`] as const);
  return html`<h2>Crear una clave</h2>
    <form method="post" action="${KEYS_PATH}">${hiddenIn(membership, { formulario: newId() })}
      ${field({ name: 'nombre', label: 'Nombre', autocomplete: 'off', value: typed.name, most: 60, wrong: besideOf(wrong, 'name'), hint: 'Para reconocerla, como «Hoja de ventas».' })}
      <fieldset><legend>Podrá leer, sin cambiar nada</legend>${permissions ? faultOf('permiso', permissions) : html``}${manages.includes('exports:write') ? html`<p class="hint">Para descargar ventas, saldos o envíos, marca también «${SITE_PAGES.exports.name}».</p>` : html``}${READS_OF_KEYS.map(box)}</fieldset>
      ${manages.length > 0 ? html`<fieldset><legend>Además podrá usar la API de administración</legend>${manages.map(box)}</fieldset>` : html``}
      ${lifetime ? faultOf('vigencia', lifetime) : html``}${choice({ name: 'vigencia', label: 'Vigencia', options: [['', 'No vence'], ...lifetimes], chosen: typed.days })}
      <button>Crear la clave</button>
    </form>`;
}

function boxOf(scope: KeyScope, chosen: readonly string[]): Html {
  const checked = chosen.includes(scope) ? html` checked` : html``;
  return html`<label><input type="checkbox" name="permiso" value="${scope}"${checked}>${SCOPE_WORDS[scope]}</label>`;
}
