import { serviceName } from '../../carriers/registry.ts';
import type { Marketplace } from '../../connectors/contract.ts';
import {
  EXPORTS,
  type Exported,
  FAILURE_WORDS,
  FORMAT_NAMES,
  type FormatName,
  type KeptExport,
  narrowedInWords,
  periodInWords,
  TITLES,
  thingsIn,
} from '../../features/exports/index.ts';
import { newId } from '../../platform/ids.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { alarm, choice, EXPORTS_SCRIPT_PATH, field, type Html, html, note } from '../page.ts';
import { PERIOD_OPTIONS } from './export-periods.ts';
import {
  addressIn,
  hiddenIn,
  momentFor,
  type PageMembership,
  suspensionNote,
} from './membership.ts';
import type { Reply } from './page-request.ts';

const HOME = SITE_PAGES.exports.path;
export const EXPORT_PATHS = {
  list: HOME,
  file: `${HOME}/archivo`,
  remove: `${HOME}/eliminar`,
} as const;

export const FORMAT_WORDS: Readonly<Record<FormatName, string>> = {
  excel: 'Excel (para leer y sumar)',
  xlsx: 'Excel (con los nombres de la API)',
  csv: 'CSV',
  ndjson: 'JSON por línea (NDJSON)',
};
/** Of kinds with days, and of those without. */
const OTHER_FILTERS = {
  dated:
    'De los filtros de tu lista, el archivo toma los días y, si elegiste uno solo, el marketplace. Los demás aplícalos en el archivo: cada fila lleva esas columnas.',
  undated:
    'El archivo lleva las filas de todos los estados, no solo las del que viste en tu lista. Fíltralas en el archivo: cada fila lleva su estado.',
};
/** What people read comes first. */
const FORMATS_SHOWN: readonly FormatName[] = ['excel', 'xlsx', 'csv', 'ndjson'];
const STATE_WORDS = {
  queued: ['poor', 'En espera'],
  running: ['poor', 'En curso'],
  done: ['good', 'Lista'],
  failed: ['bad', 'Falló'],
} as const;

/** What was typed. */
export interface ExportTyped {
  readonly what: string;
  readonly format: string;
  /** Of `PERIOD_OPTIONS`. */
  readonly period: string;
  readonly from: string;
  readonly to: string;
  /** Empty = of all. */
  readonly marketplace: string;
  /** The only payout, of that marketplace. */
  readonly payout: { readonly accountId: string; readonly id: string } | null;
  /** Whether the screen that led here had filters that a file does not take. */
  readonly hasMore?: boolean;
}

interface Shown {
  /** Newest first. */
  readonly exports: readonly KeptExport[];
  /** What the person's role may export. */
  readonly kinds: readonly Exported[];
  readonly seesEarnings: boolean;
  /** Those with an account, connected or once connected. */
  readonly marketplaces: readonly Marketplace[];
  readonly typed: ExportTyped;
  readonly said?: string | null;
  readonly wrong?: string;
}

export function exportsReply(membership: PageMembership, shown: Shown): Reply {
  const { exports, said = null, wrong = null } = shown;
  return {
    title: SITE_PAGES.exports.name,
    isWide: true,
    script: EXPORTS_SCRIPT_PATH,
    body: html`${note(said)}${alarm(wrong)}${suspensionNote(membership)}
      <p>Descarga tus datos en un archivo, con todas las filas tal como estaban en un mismo instante. Cada archivo se guarda cifrado durante 7 días.</p>
      <div id="exportaciones" aria-live="polite">${listHtml(membership, exports)}</div>
      ${membership.organization.isSuspended ? html`` : makeForm(membership, shown)}`,
  };
}

function listHtml(membership: PageMembership, exports: readonly KeptExport[]): Html {
  if (exports.length === 0) return html``;
  const isUnderWay = exports.some(({ state }) => state === 'queued' || state === 'running');
  return html`<ul class="cards">${exports.map((one) => entryOf(membership, one))}</ul>
    ${isUnderWay ? html`<p data-en-camino><noscript><a href="${addressIn(membership, HOME)}">Actualizar</a></noscript></p>` : html``}`;
}

function entryOf(membership: PageMembership, kept: KeptExport): Html {
  const { id, what, format, state, failure } = kept;
  const [grade, word] = STATE_WORDS[state];
  const name = `${TITLES[what]}, ${FORMAT_WORDS[format]}`;
  const unseen = html`<span class="unseen"> ${name}</span>`;
  const file = addressIn(membership, EXPORT_PATHS.file, { exportacion: id });
  const canTake = state === 'done' && !membership.organization.isSuspended;
  return html`<li class="row"><p><span class="mark ${grade}">${word}</span>${canTake ? html` · <a href="${file}">Descargar${unseen}</a>` : html``}<br>${sizeOf(kept)}</p>
    <p><strong>${name}</strong><br>${whichOf(kept)}<br>${failure === null ? datesOf(membership, kept) : FAILURE_WORDS[failure]}</p>
    <form method="post" action="${EXPORT_PATHS.remove}">${hiddenIn(membership, { exportacion: id })}<button class="quiet small">Eliminar${unseen}</button></form></li>`;
}

function sizeOf({ state, what, rows, bytes }: KeptExport): string {
  if (state === 'queued') return 'Empieza en un momento';
  if (state === 'failed') return '';
  return `${NUMBERS.format(rows)} ${thingsIn(what, rows)}, ${sizeInWords(bytes)}`;
}

function whichOf({ what, terms }: KeptExport): string {
  const narrowed = narrowedInWords(terms);
  if (terms.payout !== null && narrowed !== null) return narrowed;
  const period = periodInWords(what, terms) ?? 'Como están al pedirla';
  return narrowed === null ? period : `${period} · ${narrowed}`;
}

function datesOf(
  membership: PageMembership,
  { asOf, createdAt, expiresAt, state }: KeptExport,
): string {
  if (state !== 'done' || asOf === null) return `Pedida el ${momentFor(membership, createdAt)}`;
  return `Como estaba el ${momentFor(membership, Temporal.Instant.from(asOf))} · Se elimina el ${momentFor(membership, expiresAt)}`;
}

const NUMBERS = new Intl.NumberFormat('es-MX');
const KILOBYTE = 1_000;
const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;

function sizeInWords(bytes: number): string {
  const step = Math.min(
    Math.floor(Math.log(Math.max(bytes, 1)) / Math.log(KILOBYTE)),
    UNITS.length - 1,
  );
  const digits = new Intl.NumberFormat('es-MX', { maximumFractionDigits: step === 0 ? 0 : 1 });
  return `${digits.format(bytes / KILOBYTE ** step)} ${UNITS[step]}`;
}

function undatedIn(kinds: readonly Exported[]): Html {
  const undated = kinds.filter((what) => EXPORTS[what].days === null).map((what) => TITLES[what]);
  return undated.length === 0
    ? html``
    : html`<p class="hint">Sin periodo: ${undated.join(', ')}.</p>`;
}

function makeForm(membership: PageMembership, shown: Shown): Html {
  const { kinds, seesEarnings, typed } = shown;
  if (typed.payout) return payoutForm(membership, typed.payout, typed);
  const isDated = kinds.some((what) => what === typed.what && EXPORTS[what].days !== null);
  const others = OTHER_FILTERS[isDated ? 'dated' : 'undated'];
  const more = typed.hasMore ? html`<p class="note">${others}</p>` : html``;
  return html`<h2>Pedir una exportación</h2>${more}
    <form method="post" action="${HOME}">${hiddenIn(membership, { formulario: newId() })}
      ${choice({ name: 'que', label: '¿Qué datos?', options: kinds.map((one) => [one, TITLES[one]]), chosen: typed.what })}
      ${formatChoice(typed)}
      ${choice({ name: 'periodo', label: 'Periodo', options: PERIOD_OPTIONS, chosen: typed.period })}
      ${undatedIn(kinds)}
      ${field({ name: 'desde', label: 'Desde el día', type: 'date', autocomplete: 'off', value: typed.from, isOptional: true, hint: 'Vacío: desde el primero.' })}
      ${field({ name: 'hasta', label: 'Hasta el día', type: 'date', autocomplete: 'off', value: typed.to, isOptional: true, hint: 'Incluido. Vacío: hasta el último.' })}
      ${marketplaceChoice(shown)}
      ${seesEarnings ? html`` : html`<p class="hint">Con tu rol, las órdenes no llevan comisiones, retenciones ni ganancias, y los envíos no llevan su costo.</p>`}
      <button>Pedir la exportación</button>
    </form>`;
}

function formatChoice({ format }: ExportTyped): Html {
  const formats = FORMATS_SHOWN.filter((one) => FORMAT_NAMES.includes(one));
  const options = formats.map((one) => [one, FORMAT_WORDS[one]] as const);
  return choice({ name: 'formato', label: 'Formato', options, chosen: format });
}

function marketplaceChoice({ kinds, marketplaces, typed }: Shown): Html {
  if (marketplaces.length === 0) return html``;
  const whole = kinds.filter((what) => !EXPORTS[what].isByMarketplace).map((what) => TITLES[what]);
  const options = [
    ['', 'Todos'] as const,
    ...marketplaces.map((one) => [one, serviceName(one)] as const),
  ];
  return html`${choice({ name: 'marketplace', label: 'Marketplace', options, chosen: typed.marketplace })}
      <p class="hint">Siempre de todos: ${whole.join(', ')}.</p>`;
}

/** A payout is exported from its own screen, which leads here. */
function payoutForm(
  membership: PageMembership,
  { accountId, id }: NonNullable<ExportTyped['payout']>,
  typed: ExportTyped,
): Html {
  const { marketplace } = typed;
  const name = serviceName(marketplace as Marketplace);
  const given = { que: typed.what, marketplace, cuenta: accountId, pago: id };
  return html`<h2>Exportar un pago</h2>
    <p>El archivo lleva todos los movimientos del pago ${id} de ${name}, y ningún otro.</p>
    <form method="post" action="${HOME}">${hiddenIn(membership, { formulario: newId(), ...given })}
      ${formatChoice(typed)}
      <button>Pedir la exportación</button>
    </form>
    <p><a href="${addressIn(membership, HOME)}">Exportar otros datos</a></p>`;
}
