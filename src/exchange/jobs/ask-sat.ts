import {
  dueForSat,
  noteSatAnswers,
  organizationsToAsk,
  type SatAnswer,
  type SatQuestion,
} from '../../features/cfdi/index.ts';
import type { ExchangeParts } from '../parts.ts';

const AT_ONCE = 20;
const WITHIN_MS = 10_000;
const MOST_BYTES = 64 * 1_024;
/** The rest is asked an hour later. */
const STEP_MS = 5 * 60_000;
const ACTION = 'http://tempuri.org/IConsultaCFDIService/Consulta';
const STATES: Readonly<Record<string, SatAnswer>> = {
  Vigente: 'vigente',
  Cancelado: 'cancelado',
  'No Encontrado': null,
};

/**
 * Asks the SAT's public service for the status of CFDI that are due, where the operator set its
 * address. The first failure ends the run: the next one is an hour later.
 */
export async function askSat(parts: ExchangeParts): Promise<void> {
  const { database, clock, satUrl, orderListeners, announce } = parts;
  if (satUrl === null) return;
  const startedAt = clock.monotonic();
  for (const id of await database.search((handle) => organizationsToAsk(handle, clock.now()))) {
    const organization = database.within(id);
    for (;;) {
      const questions = await organization.read((scope) => dueForSat(scope, AT_ONCE));
      const answers = await Promise.all(
        questions.map(async (question) => ({
          question,
          answer: await ask(parts, satUrl, question),
        })),
      );
      await organization.write((scope) =>
        noteSatAnswers(scope, answers, [...orderListeners, announce]),
      );
      if (clock.monotonic() - startedAt > STEP_MS) return;
      if (questions.length < AT_ONCE) break;
    }
  }
}

async function ask(
  { network }: ExchangeParts,
  url: string,
  { expression }: SatQuestion,
): Promise<SatAnswer> {
  const { status, body } = await network.send(
    {
      method: 'POST',
      url,
      headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: `"${ACTION}"` },
      body: `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Consulta xmlns="http://tempuri.org/"><expresionImpresa>${escaped(expression)}</expresionImpresa></Consulta></s:Body></s:Envelope>`,
    },
    { addresses: 'any', timeoutMilliseconds: WITHIN_MS, maximumBytes: MOST_BYTES },
  );
  const state = /<(?:\w{1,20}:)?Estado>([^<]{1,40})</.exec(body)?.[1] ?? '';
  if (status !== 200 || !Object.hasOwn(STATES, state))
    throw new Error(`the SAT answered ${status} and no status`);
  return STATES[state] ?? null;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
