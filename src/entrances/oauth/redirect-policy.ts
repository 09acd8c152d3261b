const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Of applications in use that did not take theirs from a domain of their own. */
const KNOWN_SCHEMES = new Set(
  'claude cursor mcpjam vscode vscode-insiders windsurf zed'
    .split(' ')
    .map((scheme) => `${scheme}:`),
);

/**
 * RFC 8252, 7.1: an application's scheme is a domain backwards. All others may be the system's own,
 * as ms-msdt: and search-ms: are; so are these two.
 */
const DOMAIN_BACKWARDS = /^(?!microsoft\.|windows\.)[a-z]{2,}(\.[a-z0-9-]+)+:$/;

const MOST_REDIRECTS = 20;
const MOST_REDIRECT_CHARACTERS = 1_000;

/** Also keeps the text fit for a header. */
const HOST = /^[a-z0-9.-]+(:\d+)?$|^\[::1\](:\d+)?$/;

/** @returns what is wrong with a client's redirect addresses, in Spanish; null when all is well */
export function faultOfRedirects(uris: readonly unknown[]): string | null {
  if (uris.length > MOST_REDIRECTS) return `hasta ${MOST_REDIRECTS} direcciones`;
  for (const uri of uris) {
    const fault = typeof uri === 'string' ? faultOfRedirect(uri) : 'debe ser un texto';
    if (fault) return `una de las direcciones ${fault}`;
  }
  return null;
}

/** @returns why an answer may not be sent there, in Spanish; null when it may */
function faultOfRedirect(text: string): string | null {
  if (text.length > MOST_REDIRECT_CHARACTERS) return 'es demasiado larga';
  const url = URL.parse(text);
  if (!url) return 'no se entiende';
  if (text.includes('#')) return 'no puede llevar fragmento';
  if (url.username !== '' || url.password !== '') return 'no puede llevar usuario';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return faultOfScheme(url.protocol);
  if (!HOST.test(url.host)) return 'tiene un host que no vale';
  if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    return 'debe usar https: http solo se permite en la misma computadora';
  return null;
}

export function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

function faultOfScheme(scheme: string): string | null {
  if (KNOWN_SCHEMES.has(scheme) || DOMAIN_BACKWARDS.test(scheme)) return null;
  return `no puede usar el esquema ${scheme.slice(0, 60)} Usa https, o un dominio tuyo en orden inverso, como com.ejemplo.agente:`;
}
