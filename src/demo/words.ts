import { effectiveTerms, type Organization } from '../features/organizations/index.ts';
import { SITE_PAGES } from '../platform/site-pages.ts';
import type { FirstLook } from './first-look.ts';
import type { NewShop } from './new-shop.ts';

/** The demo's sentences in the terminal. */

interface ReadyDemo {
  readonly url: string;
  /** The address for people and agents; links name it. */
  readonly publicUrl: string;
  readonly apiKey: string;
  readonly organization: Organization;
  readonly look: FirstLook;
  readonly marketplaces: number;
  readonly entry: { readonly email: string; readonly password: string; readonly link: string };
  readonly mails: string;
  readonly newShop: NewShop;
}

export function welcome(demo: ReadyDemo): string {
  const { url, publicUrl, apiKey, organization, look, marketplaces, entry, mails, newShop } = demo;
  const orders = look.hasMore ? `más de ${look.orders}` : look.orders;
  const curl = (path: string) => `curl -H 'Authorization: Bearer ${apiKey}' '${url}${path}'`;
  return `
Listo: ${orders} órdenes de ${marketplaces} marketplaces en «${organization.name}», plan ${effectiveTerms(organization).name}.

Abre el panel con este enlace; entras sin contraseña:

  ${entry.link}

Desde otro navegador: ${entry.email}, contraseña ${entry.password}

  API            ${url}/v1
  Documentación  ${url}/docs
  Agentes (MCP)  ${publicUrl}/mcp

Conecta un agente con la dirección de Agentes (MCP), sin clave: abre tu navegador, donde entras y marcas lo que puede leer.
Los que conectes se ven y se desconectan en ${publicUrl}/cuenta/agentes

Para ver cómo empieza una tienda nueva, crea otra cuenta en ${publicUrl}/registro y, en ${SITE_PAGES.connections.name}, conecta:

${newShopWords(newShop)}
Consulta las órdenes:

  ${curl('/v1/orders?limit=5')}

Sigue los cambios desde este momento; la vez siguiente usa el meta.as_of de la respuesta:

  ${curl(`/v1/orders?updated_since=${look.asOf}`)}

Mientras siga en marcha llega una orden nueva cada minuto o dos, y las que hay cambian de estado.
Los correos quedan como archivos en ${mails}.
La clave vale hasta que inicies la demostración otra vez; las órdenes se conservan.
Para detenerla, presiona Ctrl+C.
`;
}

function newShopWords({ consent, typing }: NewShop): string {
  const row = (name: string, how: string) => `  ${name.padEnd(14)} ${how}\n`;
  const typed = typing?.fields.map(({ label, value }) => `${label} ${value}`).join(', ');
  return [
    consent === null
      ? ''
      : row(consent, 'no escribes nada: la cuenta simulada da permiso enseguida'),
    typing && typed ? row(typing.name, typed) : '',
  ].join('');
}
