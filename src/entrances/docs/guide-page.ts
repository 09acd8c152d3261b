/** The quickstart: a key, the first call, the recipe of polling, and the ways beyond. */
import { readFile } from 'node:fs/promises';
import { FAILURES } from '../../platform/failures.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { copied } from '../copied.ts';
import { COPY_SCRIPT_PATH, type Html, html, linkTo, type Page } from '../page.ts';
import { REPAIRS } from '../repairs.ts';
import { DOCS_PATHS, docsLinks } from './paths.ts';

const SNIPPETS = new URL('../../../snippets/', import.meta.url);
/** What the snippets say in place of the installation's address. */
const EXAMPLE_ORIGIN = 'https://tianguis.example';
const LANGUAGES = [
  ['curl', 'curl', 'ordenes.sh'],
  ['node', 'Node.js', 'ordenes.mjs'],
  ['python', 'Python', 'ordenes.py'],
] as const;

/**
 * @param publicUrl the installation's address, which the code names
 * @param agentsUrl where agents connect
 */
export async function guidePage(publicUrl: string, agentsUrl: string): Promise<Page> {
  return {
    title: SITE_PAGES.docs.name,
    isWide: true,
    script: COPY_SCRIPT_PATH,
    body: html`${docsLinks('guide')}
      <h2 id="clave">1. Crea una clave</h2>
      <p>En ${linkTo('keys')}. La clave se muestra una sola vez; guárdala en una variable de entorno, nunca en tu código. La API está incluida desde el plan Intermedio.</p>
      ${copied('codigo-clave', 'En tu terminal', "export TIANGUIS_KEY='tu clave'")}
      <h2 id="primera">2. Haz la primera llamada</h2>
      ${copied('codigo-primera', 'Tus últimas cinco órdenes', firstCall(publicUrl))}
      <p><code>/v1/me</code> dice cuál es tu organización, qué puede leer la clave y cuántas solicitudes por minuto tienes.</p>
      <h2 id="sincronizar">3. Trae tus órdenes, y después solo lo que cambió</h2>
      <p>Recorre todas las páginas con <code>pagination.next_cursor</code>, guarda el <code>meta.as_of</code> de la primera y pásalo en <code>updated_since</code> la siguiente vez. Así no se pierde ningún cambio, y una consulta sin cambios cuesta una sola solicitud.</p>
      ${await Promise.all(LANGUAGES.map((language) => recipe(language, publicUrl)))}
      <h2 id="errores">Errores</h2>
      <p>Cada error trae <code>error.code</code> para tu código, <code>error.message</code> para personas, <code>error.doc_url</code> con el enlace a su explicación en esta lista y <code>meta.request_id</code> para pedir ayuda.</p>
      ${repairs()}
      <h2 id="versiones">Cambios y versiones</h2>
      <p>En v1 pueden aparecer campos, valores, parámetros opcionales y códigos nuevos; tu aplicación debe ignorar lo que no conoce. Un cambio que podría romperla llega en otra versión.</p>
      <p>Avisamos el retiro de una versión al menos un año antes: desde el aviso, cada respuesta trae la fecha en <code>Sunset</code>, y te escribimos 12, 6 y 1 meses antes si usas la API. Después de esa fecha, cada solicitud recibe <code>410 version_retired</code>.</p>
      <h2 id="mas">Más allá de consultar</h2>
      <dl>
        <dt>${linkTo('webhooks')}</dt><dd>Recibe cada cambio en tu servidor, firmado.</dd>
        <dt>${linkTo('agents')}</dt><dd>Conecta un asistente de IA a <code>${agentsUrl}</code> y pregúntale por tus ventas.</dd>
        <dt>${linkTo('sheet')}</dt><dd>Una plantilla para Google Sheets y otra para Excel.</dd>
        <dt>${linkTo('exports')}</dt><dd>Todo lo de un periodo en Excel, CSV o NDJSON.</dd>
      </dl>
      <p><a href="${DOCS_PATHS.plain}">Cada operación, parámetro y campo</a></p>`,
  };
}

function firstCall(publicUrl: string): string {
  return `curl --header "Authorization: Bearer $TIANGUIS_KEY" "${publicUrl}/v1/orders?limit=5"`;
}

async function recipe(
  [id, name, file]: (typeof LANGUAGES)[number],
  publicUrl: string,
): Promise<Html> {
  const code = await readFile(new URL(file, SNIPPETS), 'utf8');
  return html`<h3 id="${id}">${name}</h3>
    ${copied(`codigo-${id}`, `Código para ${name}`, code.replaceAll(EXAMPLE_ORIGIN, publicUrl))}`;
}

function repairs(): Html {
  return html`<dl>${REPAIRS.map(
    ([codes, repair]) =>
      html`<dt>${codes.map((code) => html`<code id="${code}">${FAILURES[code].status} ${code}</code> `)}</dt><dd>${repair}</dd>`,
  )}</dl>`;
}
