import { type Exported, type FormatName, TITLES } from '../../features/exports/index.ts';
import { ROLE_NAMES, type Role } from '../../features/people/index.ts';
import { type Act, type DoneAct, INSTANCE_ACTOR } from '../../features/trail/index.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { type Html, html } from '../page.ts';
import { FORMAT_WORDS } from './exports-pages.ts';
import { addressIn, momentFor, nameIn, type PageMembership, suspensionNote } from './membership.ts';
import type { Reply } from './page-request.ts';

export const ACTIVITY_PATH = SITE_PAGES.activity.path;

interface Shown {
  /** Newest first. */
  readonly acts: readonly DoneAct[];
  /** Names of the organisation's members, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** Names of the organisation's API keys, by id. */
  readonly keys: ReadonlyMap<string, string>;
  /** Addresses of invitations, as far as they are shown. */
  readonly invited: ReadonlyMap<string, string>;
  /** Where older ones begin; null = there are none. */
  readonly next: number | null;
}

/** An act in words. */
interface Reported {
  readonly label: string;
  readonly role: string;
  readonly hasSubject: boolean;
  /** The person it was done to. */
  readonly whom: string;
  readonly isOwn: boolean;
  readonly invited: string;
}

const SENTENCES: Readonly<Record<Act, (reported: Reported) => string>> = {
  api_key_made: ({ label }) => `Creó la clave de API «${label}»`,
  api_key_regenerated: ({ label }) => `Regeneró la clave de API «${label}»`,
  api_key_revoked: ({ label }) => `Revocó la clave de API «${label}»`,
  member_added: ({ isOwn, whom, role }) =>
    isOwn ? `Se unió con el rol ${role}` : `Agregó a ${whom} con el rol ${role}`,
  member_removed: ({ isOwn, whom }) => (isOwn ? 'Salió de la organización' : `Quitó a ${whom}`),
  role_changed: ({ isOwn, whom, role }) =>
    `Cambió ${isOwn ? 'su rol' : `el rol de ${whom}`} a ${role}`,
  person_changed: ({ whom }) => `Cambió el correo o el nombre de ${whom}`,
  invitation_sent: ({ invited, role }) => `Invitó a ${invited} con el rol ${role}`,
  invitation_taken_back: ({ invited }) => `Retiró la invitación a ${invited}`,
  agent_connected: ({ label }) => `Conectó el agente «${label}»`,
  agent_disconnected: ({ label }) => `Desconectó el agente «${label}»`,
  second_factor_added: () => 'Activó su verificación en dos pasos',
  second_factor_removed: () => 'Desactivó su verificación en dos pasos',
  backup_codes_renewed: () => 'Generó nuevos códigos de respaldo',
  passkey_added: () => 'Agregó una llave de acceso a su cuenta',
  passkey_removed: () => 'Borró una llave de acceso de su cuenta',
  passkey_restored: () => 'Activó de nuevo una llave de acceso suspendida',
  factors_removed: ({ whom }) =>
    `Quitó la verificación en dos pasos y las llaves de acceso de ${whom}`,
  password_changed: () => 'Cambió su contraseña',
  password_chosen: () => 'Eligió su primera contraseña',
  password_reset: () => 'Eligió otra contraseña con un enlace que recibió por correo',
  connection_made: ({ label }) => `Conectó la cuenta ${label}`,
  connection_renamed: ({ label }) => `Cambió el nombre de una cuenta a ${label}`,
  connection_paused: ({ label }) => `Puso en pausa la cuenta ${label}`,
  connection_resumed: ({ label }) => `Reanudó la cuenta ${label}`,
  connection_ended: ({ label }) => `Desconectó la cuenta ${label}`,
  event_address_rotated: ({ label }) => `Cambió la dirección de webhooks de ${label}`,
  webhook_endpoint_made: ({ label }) => `Creó el endpoint de webhooks de ${label}`,
  webhook_endpoint_changed: ({ label }) => `Cambió el endpoint de webhooks de ${label}`,
  webhook_endpoint_enabled: ({ label }) => `Activó el endpoint de webhooks de ${label}`,
  webhook_endpoint_disabled: ({ label }) => `Desactivó el endpoint de webhooks de ${label}`,
  webhook_endpoint_deleted: ({ label }) => `Eliminó el endpoint de webhooks de ${label}`,
  webhook_secret_rotated: ({ label }) => `Rotó el secreto del endpoint de webhooks de ${label}`,
  webhook_test_sent: ({ label }) => `Envió un evento de prueba al endpoint de ${label}`,
  webhook_events_resent: ({ label }) => `Pidió enviar eventos de nuevo al endpoint de ${label}`,
  export_requested: ({ label }) => `Pidió una exportación: ${exportInWords(label)}`,
  export_downloaded: ({ label }) => `Descargó una exportación: ${exportInWords(label)}`,
  export_deleted: ({ label }) => `Eliminó una exportación: ${exportInWords(label)}`,
  organization_changed: ({ label }) => `Cambió los datos de la organización «${label}»`,
  organization_suspended: () => 'Suspendió la organización',
  organization_resumed: () => 'Reactivó la organización',
  plan_changed: ({ label }) => `Cambió el plan a ${label}`,
  plan_requested: ({ label }) => `Pidió cambiar al plan ${label}`,
  logistics_changed: () => 'Cambió la configuración de logística',
  alert_settled: ({ label }) => `Marcó como resuelta la alerta «${label}»`,
  alert_reopened: ({ label }) => `Volvió a abrir la alerta «${label}»`,
  guides_requested: ({ label }) => (label === '1' ? 'Pidió 1 guía' : `Pidió ${label} guías`),
  guide_settled: ({ label }) =>
    label === ''
      ? 'Confirmó que la paquetería no tiene una guía que quedó sin respuesta'
      : `Anotó la guía ${label}, que quedó sin respuesta`,
  guide_cancelled: ({ label }) => `Canceló la guía ${label}`,
  fiscal_profile_changed: () => 'Cambió los datos fiscales',
  billing_data_viewed: ({ label }) => `Vio los datos de facturación de la orden ${label}`,
  cfdis_downloaded: ({ label, hasSubject }) =>
    hasSubject ? `Descargó el CFDI ${label}` : `Descargó ${label} CFDI en un ZIP`,
};

/** @param label kept as the names of the API: `orders csv` */
function exportInWords(label: string): string {
  const [what = '', format = ''] = label.split(' ');
  const contents = Object.hasOwn(TITLES, what) ? TITLES[what as Exported] : what;
  const file = Object.hasOwn(FORMAT_WORDS, format) ? FORMAT_WORDS[format as FormatName] : format;
  return `${contents}, en ${file}`;
}

export function activityReply(membership: PageMembership, shown: Shown): Reply {
  const { acts, next } = shown;
  const older = (position: number) =>
    html`<p><a href="${addressIn(membership, ACTIVITY_PATH, { antes: String(position) })}">Ver lo anterior</a></p>`;
  return {
    title: SITE_PAGES.activity.name,
    body: html`${suspensionNote(membership)}
      <p>Lo que se hizo con claves, miembros, agentes, conexiones, webhooks, exportaciones, CFDI, cuentas, plan, logística, alertas y guías en el último año, con la hora de tu organización.</p>
      ${acts.length > 0 ? html`<ul class="cards">${acts.map((act) => entryOf(membership, act, shown))}</ul>` : html`<p>Aquí no hay nada.</p>`}
      ${next === null ? html`` : older(next)}`,
  };
}

function entryOf(membership: PageMembership, act: DoneAct, shown: Shown): Html {
  const { names, invited } = shown;
  const { by, subject } = act;
  const sentence = SENTENCES[act.act]({
    label: act.label ?? '',
    hasSubject: subject !== null,
    role: act.role === null ? '' : ROLE_NAMES[act.role as Role],
    whom: nameIn(names, subject ?? ''),
    isOwn: typeof by === 'object' && 'personId' in by && by.personId === subject,
    invited: invited.get(subject ?? '') ?? 'alguien',
  });
  return html`<li><p><strong>${sentence}</strong></p>
    <p>${whoDid(membership, act, shown)}</p>
    <p>${momentFor(membership, act.at)}${whereFrom(act)}</p></li>`;
}

function whoDid({ person }: PageMembership, { by }: DoneAct, { names, keys }: Shown): string {
  if (by === 'operator') return 'El operador de Tianguis, desde su terminal';
  if (by === INSTANCE_ACTOR) return 'Tianguis (automático)';
  if ('keyId' in by) return `La clave de API «${keys.get(by.keyId) ?? 'eliminada'}»`;
  const name = nameIn(names, by.personId);
  if (by.personId === person.id) return `${name} (tú)`;
  return `${name[0]?.toUpperCase()}${name.slice(1)}`;
}

/** Of an address of IPv6 the half is kept that is one person's. */
function whereFrom({ by }: DoneAct): string {
  if (typeof by === 'string' || by.address === null) return '';
  return `, desde ${by.address.includes(':') ? `${by.address}::/64` : by.address}`;
}
