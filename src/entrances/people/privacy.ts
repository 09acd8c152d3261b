/**
 * The privacy notice, for operators who have none of their own: what Mexican law asks of it
 * (LFPDPPP of 2025) and what the product does, in the order of the law. Who the operator is comes
 * from the settings alone.
 */
import { askForHelp, type Operator } from '../../platform/operator.ts';
import { type Html, html, linkTo } from '../page.ts';
import type { PageRequest, Reply } from './page-request.ts';

/** Of the text below; moves with it. */
const CHANGED = '22 de noviembre de 2026';

export async function privacyPage({ operator, publicUrl }: PageRequest): Promise<Reply> {
  if (operator.privacyUrl !== null) return { to: operator.privacyUrl };
  const ask = askForHelp(operator);
  return {
    title: 'Aviso de privacidad',
    body: html`<p>Versión del ${CHANGED}, para el servicio de Tianguis en ${new URL(publicUrl()).host}.</p>
      ${responsible(operator)}${DATA}${PURPOSES}${rights(ask)}${limits(ask)}${TRANSFERS}${COOKIES}${CHANGES}`,
  };
}

function responsible({
  operatorName: name,
  operatorAddress: address,
  supportEmail,
}: Operator): Html {
  const who =
    name === null
      ? html`<p>El responsable de tus datos personales es quien administra este servicio de Tianguis. Aquí todavía no
          indica su nombre ni su domicilio: pídelos a quien te dio acceso.</p>`
      : html`<p>El responsable de tus datos personales es <strong>${name}</strong>${
          address === null
            ? ', que administra este servicio de Tianguis'
            : `, con domicilio en ${address}`
        }.</p>`;
  const reach =
    supportEmail === null
      ? html``
      : html`<p>Su correo para asuntos de privacidad es <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`;
  return html`<h2>Quién es el responsable</h2>${who}${reach}
    <p>De los datos de compradores que llegan con las órdenes de una tienda, la responsable es esa tienda. Este servicio los
      trata por encargo de ella: si compraste algo, pide a la tienda su propio aviso.</p>`;
}

const DATA = html`<h2>Qué datos se tratan</h2>
  <ul>
    <li>De tu cuenta: nombre, correo, organización y rol. De tu contraseña solo se guarda un hash, con el que nadie puede leerla.</li>
    <li>De seguridad: sesiones, llaves de acceso, verificación en dos pasos, y la dirección IP y la fecha de lo que haces en
      tu organización.</li>
    <li>De uso: claves de API y agentes conectados, cuándo se usaron y qué se les permite leer.</li>
    <li>De las cuentas que tu organización conecta en marketplaces y paqueterías: credenciales, que se guardan cifradas;
      órdenes, productos, envíos y facturas; y datos patrimoniales, como ventas, saldos y liquidaciones. Entre ellos hay datos
      de compradores: nombre, dirección de entrega y medios de contacto.</li>
  </ul>
  <p>No se piden datos personales sensibles.</p>`;

const PURPOSES = html`<h2>Para qué se usan</h2>
  <ul>
    <li>Crear y proteger tu cuenta.</li>
    <li>Reunir las órdenes, existencias, saldos, facturas y envíos de tu organización y entregárselos a ella, a sus claves de
      API y a los agentes que autorice.</li>
    <li>Avisarte por correo de lo que afecta a tu cuenta.</li>
    <li>Llevar el registro de actividad de tu organización y atender tus solicitudes.</li>
    <li>Cumplir obligaciones legales.</li>
  </ul>
  <p>Todas son necesarias para darte el servicio. No hay finalidades adicionales: Tianguis no usa tus datos para publicidad ni
    para perfiles, y no los vende. Al conectar una cuenta de tu organización aceptas que se traten sus datos patrimoniales.</p>`;

function rights(ask: string): Html {
  return html`<h2>Tus derechos ARCO</h2>
    <p>Puedes pedir acceso a tus datos, su rectificación o su cancelación, u oponerte a que se usen; también puedes revocar tu
      consentimiento. Para hacerlo, ${ask} e incluye:</p>
    <ul>
      <li>tu nombre y un correo o domicilio para contestarte;</li>
      <li>un documento que acredite tu identidad o, si actúas por otra persona, tu representación;</li>
      <li>los datos de que se trata y lo que pides; si es una rectificación, el dato correcto y su comprobante;</li>
      <li>lo que ayude a encontrarlos, como el correo de tu cuenta.</li>
    </ul>
    <p>La ley da un máximo de veinte días hábiles para contestarte y, si procede, quince más para aplicar lo que pediste. El
      trámite es gratuito. Si no estás de acuerdo o no te contestan, puedes acudir a la Secretaría Anticorrupción y Buen Gobierno.</p>`;
}

function limits(ask: string): Html {
  return html`<h2>Cómo limitar el uso de tus datos</h2>
    <p>En ${linkTo('account')} puedes cerrar sesiones, borrar llaves de acceso, desconectar agentes y salir de una
      organización. Para desconectar una cuenta de un marketplace o borrar tu cuenta, ${ask}.</p>
    <p>El registro de actividad y el de los agentes se conservan un año; las órdenes y las facturas, mientras tu organización
      use el servicio o la ley lo exija.</p>`;
}

const TRANSFERS = html`<h2>Con quién se comparten</h2>
  <p>Solo cuando tu organización lo pide o la ley lo exige, casos que no necesitan otro consentimiento:</p>
  <ul>
    <li>los marketplaces y paqueterías que conecta, para leer sus datos y generar guías;</li>
    <li>las claves de API y los agentes que autoriza, con los permisos que les da;</li>
    <li>autoridades que lo requieran conforme a la ley.</li>
  </ul>
  <p>Los proveedores que alojan el servicio o entregan su correo tratan datos por encargo del responsable, solo para eso.</p>`;

const COOKIES = html`<h2>Cookies</h2>
  <p>Solo se usan cookies necesarias: la de tu sesión, la que reconoce este navegador y las que hacen falta mientras entras o
    contestas el permiso de un agente. No hay cookies de publicidad ni de medición. Si las bloqueas en tu navegador, no podrás
    entrar.</p>`;

const CHANGES = html`<h2>Cambios a este aviso</h2>
  <p>Los cambios se publican en esta página, con la fecha de su versión.</p>`;
