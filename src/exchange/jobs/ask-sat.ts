import {
  dueForSat,
  noteSatAnswers,
  organizationsToAsk,
  postponeSatQuestions,
  type SatAnswer,
  type SatQuestion,
} from '../../features/cfdi/index.ts';
import type { ExchangeParts } from '../parts.ts';
import { listenersByOrigin } from '../sync/follow-up.ts';

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

interface Run {
  /** Folios that were asked for. */
  readonly asked: Set<string>;
  readonly startedAt: number;
  /** Questions without an answer since the last one with it. */
  failures: number;
  /** The first of them; undefined = none. */
  firstFailure?: unknown;
}

/**
 * Asks the SAT's public service for the status of CFDI that are due, where the operator set its
 * address. One that fails is asked again an hour later; so many failures in a row end the run.
 */
export async function askSat(parts: ExchangeParts): Promise<void> {
  const { database, clock, satUrl } = parts;
  if (satUrl === null) return;
  const run: Run = { asked: new Set(), startedAt: clock.monotonic(), failures: 0 };
  for (const id of await database.search((handle) => organizationsToAsk(handle, clock.now()))) {
    while (mayGoOn(parts, run) && (await askSome(parts, satUrl, id, run)));
    if (!mayGoOn(parts, run)) break;
  }
  if (run.firstFailure !== undefined) throw run.firstFailure;
}

function mayGoOn({ clock }: ExchangeParts, { startedAt, failures }: Run): boolean {
  return failures < AT_ONCE && clock.monotonic() - startedAt <= STEP_MS;
}

/** @returns whether the organisation may have more that is due */
async function askSome(
  parts: ExchangeParts,
  url: string,
  organizationId: string,
  run: Run,
): Promise<boolean> {
  const organization = parts.database.within(organizationId);
  const due = await organization.read((scope) => dueForSat(scope, AT_ONCE));
  const questions = due.filter(({ uuid }) => !run.asked.has(uuid));
  if (questions.length === 0) return false;
  const answers: { question: SatQuestion; answer: SatAnswer }[] = [];
  const failed: SatQuestion[] = [];
  const askOne = async (question: SatQuestion) => {
    run.asked.add(question.uuid);
    try {
      answers.push({ question, answer: await ask(parts, url, question) });
    } catch (error) {
      failed.push(question);
      run.firstFailure ??= error;
    }
  };
  await Promise.all(questions.map(askOne));
  run.failures = answers.length > 0 ? 0 : run.failures + failed.length;
  await organization.write(async (scope) => {
    await postponeSatQuestions(scope, failed);
    await noteSatAnswers(scope, answers, listenersByOrigin(parts));
  });
  return due.length === AT_ONCE;
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
