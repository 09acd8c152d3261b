/** What a developer reads: the types of events with samples, and how a signature is verified. */
import { readFile } from 'node:fs/promises';
import { LOGGED_TYPES, RETRY_WAITS } from '../../../features/webhooks-out/index.ts';
import { copied } from '../../copied.ts';
import { EVENT_SAMPLES, samplePayload } from '../../event-samples.ts';
import { COPY_SCRIPT_PATH, html } from '../../page.ts';
import { addressIn } from '../membership.ts';
import type { PageRequest, Reply } from '../page-request.ts';
import { atWebhooks, headOf, WEBHOOK_PATHS } from './access.ts';

const UNITS = [
  [3_600, 'horas'],
  [60, 'minutos'],
  [1, 'segundos'],
] as const;
const LISTED = new Intl.ListFormat('es-MX');
const SNIPPETS = new URL('../../../../snippets/', import.meta.url);

export async function typesPage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'types', async (membership) => ({
    isWide: true,
    title: 'Tipos de evento',
    body: html`${headOf(membership, 'types')}
      <p>Cada cambio es un solo evento. <code>changed</code> dice qué campos cambiaron, y <code>sequence</code> crece con cada evento del mismo objeto: descarta el que traiga una menor que la última que guardaste.</p>
      <p>Los eventos pueden llegar más de una vez y en cualquier orden: recuerda los <code>id</code> que ya procesaste. Si el contenido pasa de 20 KB, <code>data</code> trae solo los identificadores y <code>truncated</code> es <code>true</code>.</p>
      <ul class="cards">${LOGGED_TYPES.map(
        (
          type,
        ) => html`<li id="${type}"><p><strong><code>${type}</code></strong></p><p>${EVENT_SAMPLES[type].words}</p>
        <details><summary>Ejemplo<span class="unseen"> de ${type}</span></summary><pre><code>${JSON.stringify(samplePayload(type), null, 2)}</code></pre></details></li>`,
      )}</ul>`,
  }));
}

export async function signaturePage(request: PageRequest): Promise<Reply> {
  return atWebhooks(request, 'signature', async (membership) => ({
    isWide: true,
    title: 'Verificar la firma',
    script: COPY_SCRIPT_PATH,
    body: html`${headOf(membership, 'signature')}
      <p>Cada entrega va firmada como lo describe <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a>, así que puedes usar sus bibliotecas, o este código. Si la firma no coincide, responde 400 y descarta la solicitud.</p>
      <dl>
        <dt><code>webhook-id</code></dt><dd>El identificador del evento, el mismo en cada intento.</dd>
        <dt><code>webhook-timestamp</code></dt><dd>Cuándo se firmó, en segundos. Rechaza lo que tenga más de cinco minutos.</dd>
        <dt><code>webhook-signature</code></dt><dd>Una o dos firmas separadas por un espacio: durante las 24 horas que siguen a una rotación firmamos con los dos secretos o claves.</dd>
      </dl>
      <p>Se firma <code>webhook-id.webhook-timestamp.cuerpo</code> con el cuerpo tal como llegó: si lo conviertes a JSON antes de verificar, la firma no coincide.</p>
      <h2 id="hmac">Con un secreto: HMAC-SHA256</h2>
      <p>Tu secreto empieza con <code>whsec_</code> y cada firma con <code>v1,</code>. El código no tiene dependencias.</p>
      <h3>Node.js</h3>
      ${copied('codigo-node', 'Código para Node.js', await snippet('verificar.mjs'))}
      <h3>Python</h3>
      ${copied('codigo-python', 'Código para Python', await snippet('verificar.py'))}
      <h2 id="ed25519">Con una clave pública: ed25519</h2>
      <p>Tu clave empieza con <code>whpk_</code> y cada firma con <code>v1a,</code>. En Node.js no hay dependencias; en Python hace falta la biblioteca <a href="https://cryptography.io" rel="noreferrer">cryptography</a>.</p>
      <h3>Node.js</h3>
      ${copied('codigo-node-ed25519', 'Código para Node.js con ed25519', await snippet('verificar-ed25519.mjs'))}
      <h3>Python</h3>
      ${copied('codigo-python-ed25519', 'Código para Python con ed25519', await snippet('verificar-ed25519.py'))}
      <h2>Responde rápido</h2>
      <p>Responde 2xx en menos de 15 segundos y procesa después. Cualquier otra respuesta, las redirecciones incluidas, se intenta hasta ${RETRY_WAITS.length} veces más: después de ${waitsInWords(RETRY_WAITS)}. Con 410 dejamos de enviarte eventos.</p>
      <p><a href="${addressIn(membership, WEBHOOK_PATHS.types)}">Tipos de evento</a></p>`,
  }));
}

function snippet(name: string): Promise<string> {
  return readFile(new URL(name, SNIPPETS), 'utf8');
}

/** In the unit that each can be counted in, one after the other: 5 segundos, 5 minutos, … */
function waitsInWords(seconds: readonly number[]): string {
  const words = seconds.map((wait) => {
    const [size, unit] = UNITS.find(([length]) => wait % length === 0) ?? UNITS[2];
    return `${wait / size} ${unit}`;
  });
  return LISTED.format(words);
}
