import type { ServerResponse } from 'node:http';

export interface Page {
  readonly title: string;
  /** HTML; what comes from outside is escaped already. */
  readonly body: string;
  readonly status?: number;
  /** Where its forms may end up besides here: origins, or schemes with their colon. */
  readonly formTargets?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page of ours: Spanish, without script, never kept, never inside another one. */
export function renderPage(response: ServerResponse, page: Page): void {
  // The time limit may have answered already.
  if (response.headersSent) return;
  const html = `<!doctype html><html lang="es-MX"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(page.title)} · Tianguis</title></head><body><main><h1>${escapeHtml(page.title)}</h1>${page.body}</main></body></html>`;
  response.writeHead(page.status ?? 200, {
    ...page.headers,
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'cache-control': 'no-store',
    // With «no-referrer» a browser would not say where a form comes from.
    'referrer-policy': 'same-origin',
    'content-security-policy': [
      "default-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      `form-action ${["'self'", ...(page.formTargets ?? [])].join(' ')}`,
    ].join('; '),
  });
  response.end(html);
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
