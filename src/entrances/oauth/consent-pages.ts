import { effectiveTerms } from '../../features/organizations/index.ts';
import { ROLE_NAMES } from '../../features/people/index.ts';
import { plansWithApi } from '../../features/plans/index.ts';
import { askForHelp, type Operator } from '../../platform/operator.ts';
import { alarm, type Html, html, linkTo, type Page } from '../page.ts';
import { SCOPE_WORDS } from '../words.ts';
import type { Visitor } from './authorization-parts.ts';
import type { Choice, ConsentRequest } from './consent-request.ts';
import type { Redirect } from './redirect.ts';

const WARNINGS: Readonly<Record<Redirect['kind'], string>> = {
  site: '',
  computer:
    'La respuesta va a una aplicación de esta misma computadora, y no podemos verificar cuál es. Acepta solo si tú acabas de iniciar la conexión.',
  application:
    'La respuesta va a una aplicación instalada, y nadie puede comprobar cuál es. Acepta solo si acabas de iniciar tú la conexión.',
};

/** Which organisation the agent shall read, for a person with several. */
export function chooseOrganizationPage(
  consent: ConsentRequest,
  visitor: Visitor,
  choices: readonly Choice[],
): Page {
  const options = choices.map(
    ({ organization, membership }, index) =>
      html`<p><label><input type="radio" name="organizacion" value="${organization.id}"${index === 0 ? html` checked` : html``}>
        ${organization.name} (${ROLE_NAMES[membership.role]})</label></p>`,
  );
  return {
    title: '¿De qué organización puede leer?',
    body: html`${whoAsks(consent)}${whoAnswers(visitor)}
      <form method="get"><fieldset><legend>Elige una organización</legend>${options}</fieldset>
      <p><button type="submit">Continuar</button></p></form>`,
  };
}

/** What the agent may read, each part of it to be ticked off. */
export function consentPage(
  consent: ConsentRequest,
  visitor: Visitor,
  { organization, membership, allowed }: Choice,
  { problem, hasOthers }: { problem: string | null; hasOthers: boolean },
): Page {
  const boxes = allowed.map(
    (scope) =>
      html`<p><label><input type="checkbox" name="permiso" value="${scope}" checked> ${SCOPE_WORDS[scope]}</label></p>`,
  );
  const beyond = consent.scopes.filter((scope) => !allowed.includes(scope));
  const notAllowed = html`<p>También pide esto, que tu rol (${ROLE_NAMES[membership.role]}) no te deja dar:</p>
    <ul>${beyond.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}</ul>`;
  const agree = html`<button type="submit" name="decision" value="permitir">Permitir</button>`;
  return {
    title: `${consent.clientName} pide leer tus datos`,
    formTargets: [consent.redirect.formTarget],
    body: html`${alarm(problem)}${whoAsks(consent)}${whoAnswers(visitor)}${whichOrganization(organization.name, hasOthers)}
      <form method="post"><input type="hidden" name="organizacion" value="${organization.id}">
      <fieldset><legend>Podrá leer, sin cambiar nada</legend>${boxes}</fieldset>
      ${beyond.length > 0 ? notAllowed : html``}
      <p>El permiso dura 90 días, o hasta que lo quites en ${linkTo('agents')}.</p>
      <p>${allowed.length > 0 ? agree : html``}
      <button type="submit" class="quiet" name="decision" value="cancelar">Cancelar</button></p></form>`,
  };
}

/** The organisation's plan has no API, so there is nothing to agree to. */
export function planPage(
  consent: ConsentRequest,
  visitor: Visitor,
  { organization }: Choice,
  { hasOthers, operator }: { hasOthers: boolean; operator: Operator },
): Page {
  const plan = effectiveTerms(organization).name;
  return {
    title: `Tu plan ${plan} no incluye la API`,
    formTargets: [consent.redirect.formTarget],
    body: html`${whoAsks(consent)}${whoAnswers(visitor)}${whichOrganization(organization.name, hasOthers)}
      <p>Tu plan ${plan} no incluye la API, que los agentes necesitan. Para cambiar a ${plansWithApi()}, ${askForHelp(operator)}; después conéctalo de nuevo.</p>
      <form method="post"><p><button type="submit" name="decision" value="cancelar">Volver al agente</button></p></form>`,
  };
}

function whoAsks({ clientName, verifiedHost, redirect }: ConsentRequest): Html {
  const name = html`<strong>${clientName}</strong>`;
  const who = verifiedHost
    ? html`<p>${name}, de <strong>${verifiedHost}</strong> (verificado), quiere conectarse.</p>`
    : html`<p>Una aplicación llamada «${name}» quiere conectarse. No pudimos verificar su identidad.</p>`;
  const warning = WARNINGS[redirect.kind];
  // A port of this computer tells a person nothing.
  const where =
    redirect.kind === 'computer'
      ? html`la aplicación de esta computadora que inició la conexión`
      : html`<strong>${redirect.name}</strong>`;
  return html`${who}<p>Después de autorizar volverás a ${where}.</p>
    ${warning === '' ? html`` : html`<p role="note"><strong>Cuidado:</strong> ${warning}</p>`}`;
}

function whoAnswers({ name, email }: Visitor): Html {
  return html`<p>Entraste como ${name} (${email}).</p>`;
}

function whichOrganization(name: string, hasOthers: boolean): Html {
  const other = hasOthers ? html` · <a href="?organizacion=">Elegir otra</a>` : html``;
  return html`<p>Organización: <strong>${name}</strong>${other}</p>`;
}
