/** The layout of every HTML page; all work without scripts. */
import type { ServerResponse } from 'node:http';
import { escapeHtml } from '../platform/html.ts';
import { type Operator, PRIVACY_PATH } from '../platform/operator.ts';
import { SITE_PAGES, type SitePage } from '../platform/site-pages.ts';
import { contextOf } from './http.ts';

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

export interface Page {
  readonly title: string;
  /** Inside of `<main>`, below the heading. */
  readonly body: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Lists with several columns take more of a wide screen. */
  readonly isWide?: boolean;
  /** Header and navigation around it; absent = the page stands alone. */
  readonly frame?: Html;
  /** One of our own files, such as `/pagina/passkeys.js`. */
  readonly script?: string;
  /**
   * Where its forms may end up besides here: origins, or schemes with their colon; `any` = an
   * agent's address.
   */
  readonly formTargets?: readonly string[] | 'any';
}

export const FRAME_STYLE_PATH = '/pagina/marco.css';
export const STYLE_PATH = '/pagina/pagina.css';
export const SCRIPT_PATH = '/pagina/passkeys.js';
export const EXPORTS_SCRIPT_PATH = '/pagina/exportaciones.js';
export const COPY_SCRIPT_PATH = '/pagina/copiar.js';
export const MENUS_SCRIPT_PATH = '/pagina/menus.js';

/** Sends a page. */
export function renderPage(response: ServerResponse, page: Page): void {
  // The time limit may have answered already.
  if (response.headersSent) return;
  const text = pageText(page, contextOf(response.req).operator);
  response.writeHead(page.status ?? 200, {
    'content-security-policy': policyOf(page),
    // Without it a form would arrive from nowhere, and be refused as if it were a stranger's.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...page.headers,
  });
  response.end(text);
}

/**
 * HTML in which every value is escaped, unless it is HTML of ours; lists are joined, nothing is
 * left out.
 */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return { html: parts.reduce((text, part, at) => `${text}${asHtml(values[at - 1])}${part}`) };
}

/** A link to a page, by its name unless another text reads better there. */
export function linkTo(page: SitePage, text: string = SITE_PAGES[page].name): Html {
  return html`<a href="${SITE_PAGES[page].path}">${text}</a>`;
}

/** What went wrong, read out at once by a screen reader. */
export function alarm(sentence: string | null): Html {
  return sentence === null ? html`` : html`<p class="alarm" role="alert">${sentence}</p>`;
}

/** What went well. */
export function note(sentence: string | Html | null): Html {
  return sentence === null ? html`` : html`<p class="note" role="status">${sentence}</p>`;
}

/**
 * What the address says that went well, in a page's own words; null where it says nothing that the
 * page knows.
 */
export function noteIn<Note extends string | Html>(
  notes: Readonly<Record<string, Note>>,
  query: URLSearchParams,
): Note | null {
  const word = query.get('aviso') ?? '';
  return Object.hasOwn(notes, word) ? (notes[word] ?? null) : null;
}

/** What is wrong with what was typed. */
export interface Fault {
  readonly message: string;
  /** Which field, as the failure names it. */
  readonly param?: string | undefined;
}

/** The sentence of a fault of one of these fields. */
export function besideOf(fault: Fault | null, ...params: readonly string[]): string | undefined {
  return fault?.param !== undefined && params.includes(fault.param) ? fault.message : undefined;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'search' | 'email' | 'password' | 'url' | 'date';
  readonly value?: string;
  /** What the browser may fill in. */
  readonly autocomplete: string;
  readonly hint?: string;
  /** Shown in it while it is empty. */
  readonly placeholder?: string;
  /** What is wrong with it. */
  readonly wrong?: string | undefined;
  readonly most?: number;
  readonly least?: number;
  readonly isOptional?: boolean;
  /** For numbers that are no amounts. */
  readonly inputmode?: 'numeric';
}

/** A field with its label. */
export function field(given: Field): Html {
  const { name, label, type = 'text', hint, placeholder, wrong, inputmode, least } = given;
  const described = [hint && `${name}-hint`, wrong && `${name}-fault`].filter(Boolean).join(' ');
  const required = given.isOptional ? html`` : html` required`;
  return html`<label for="${name}">${label}</label>
    ${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : html``}${wrong ? faultOf(name, wrong) : html``}
    <input id="${name}" name="${name}" type="${type}" autocomplete="${given.autocomplete}" value="${given.value ?? ''}"
      maxlength="${given.most ?? 254}"${least ? html` minlength="${least}"` : html``}${inputmode ? html` inputmode="${inputmode}"` : html``}${placeholder ? html` placeholder="${placeholder}"` : html``}${described ? html` aria-describedby="${described}"` : html``}${wrong ? html` aria-invalid="true"` : html``}${required}>`;
}

/** What is wrong with a field, beside it. */
export function faultOf(name: string, wrong: string): Html {
  return html`<p class="alarm" role="alert" id="${name}-fault">${wrong}</p>`;
}

/** Whose password a form asks for: by it a browser finds the one that it keeps. */
export function usernameOf(email: string): Html {
  return html`<input type="email" autocomplete="username" value="${email}" readonly hidden>`;
}

interface Choice {
  /** Of its own where the page has several of that name. */
  readonly id?: string;
  readonly name: string;
  readonly label: string | Html;
  /** What is sent and what is read. */
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly chosen: string;
}

/** A field where one of several is chosen, with its label. */
export function choice({ name, id = name, label, options, chosen }: Choice): Html {
  return html`<label for="${id}">${label}</label>
    <select id="${id}" name="${name}" autocomplete="off">${options.map(
      ([value, words]) =>
        html`<option value="${value}"${value === chosen ? html` selected` : html``}>${words}</option>`,
    )}</select>`;
}

/** The way to the privacy notice, alone or in a sentence. */
export function privacyLink({ privacyUrl }: Operator, words: string): Html {
  return html`<a href="${privacyUrl ?? PRIVACY_PATH}">${words}</a>`;
}

/** The whole page as HTML. */
export function pageText({ title, body, script, frame, isWide }: Page, operator: Operator): string {
  const scripts = [...(frame ? [MENUS_SCRIPT_PATH] : []), ...(script ? [script] : [])];
  return `<!doctype html>
<html lang="es-MX">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Tianguis</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${FRAME_STYLE_PATH}">
<link rel="stylesheet" href="${STYLE_PATH}">${scripts.map((src) => `\n<script src="${src}" defer></script>`).join('')}
</head>
${frame ? `<body class="framed">\n${frame.html}` : '<body>'}
<main id="contenido"${isWide ? ' class="wide"' : ''}>${frame ? '' : '\n<p class="brand">Tianguis</p>'}
<h1>${escapeHtml(title)}</h1>
${body.html}
${footer(operator).html}
</main>
</body>
</html>
`;
}

function footer(operator: Operator): Html {
  const { supportEmail } = operator;
  const help =
    supportEmail === null
      ? html``
      : html` · Ayuda: <a href="mailto:${supportEmail}">${supportEmail}</a>`;
  return html`<footer>${privacyLink(operator, 'Aviso de privacidad')}${help}</footer>`;
}

/** Of pages whose forms, if any, end here. */
export const POLICY_OF_PAGES = policyOf({});

function policyOf({ formTargets = [] }: Pick<Page, 'formTargets'>): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // Browsers hold it against every redirect that follows a form.
    ...(formTargets === 'any' ? [] : [`form-action ${["'self'", ...formTargets].join(' ')}`]),
  ].join('; ');
}

function asHtml(value: unknown): string {
  if (Array.isArray(value)) return value.map(asHtml).join('\n');
  if (typeof value === 'object' && value !== null && 'html' in value) return String(value.html);
  return escapeHtml(String(value));
}
