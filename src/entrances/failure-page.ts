/** The page of a request that failed, for people; programs get the envelope of `http.ts`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Failure } from '../platform/failure.ts';
import { SITE_PAGES } from '../platform/site-pages.ts';
import { contextOf, sentenceFor } from './http.ts';
import { signInAddress } from './navigation.ts';
import { html, renderPage } from './page.ts';

export function sendFailurePage(
  request: IncomingMessage,
  response: ServerResponse,
  failure: Failure,
): void {
  if (response.headersSent) return;
  if (failure.code === 'session_required')
    return void response
      .writeHead(303, { location: signInAgain(request), 'content-length': 0 })
      .end();
  renderPage(response, {
    title: failure.status === 404 ? 'No existe esa página' : 'No se pudo',
    status: failure.status,
    headers: failure.headers,
    body: html`<p role="alert">${sentenceFor(failure, contextOf(request))}</p>
      <p><a href="/">Ir a Tianguis</a></p>
      <p class="hint">${contextOf(request).id}</p>`,
  });
}

/** Of the forms that lead here, those of the account say that they need a session. */
function signInAgain({ method }: IncomingMessage): string {
  return method === 'POST' ? signInAddress(SITE_PAGES.account.path, true) : SITE_PAGES.signIn.path;
}

/** Whether a browser asks for a page, and no program for data. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && /\btext\/html\b/.test(headers.accept ?? '');
}
