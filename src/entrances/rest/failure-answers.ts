import { MARKETPLACES } from '../../connectors/contract.ts';
import { KEY_SCOPES } from '../../features/keys/index.ts';
import { PLANS } from '../../features/plans/index.ts';
import { Failure, fail } from '../../platform/failure.ts';
import { FAILURES, type FailureCode, sentenceOf } from '../../platform/failures.ts';
import { askForHelp } from '../../platform/operator.ts';
import { planRefusal } from '../guard.ts';
import { type ErrorContext, failureBody } from '../http.ts';
import { readQuery } from '../query.ts';
import { ANSWER_HEADERS, header } from './answer-headers.ts';
import { REQUEST_ID_EXAMPLE } from './every-answer.ts';
import { scopeRefusal } from './guard.ts';
import type { Operation } from './operation.ts';

const RETRY_AFTER = { 'Retry-After': header('Segundos que hay que esperar.', 'integer', 30) };
const FURTHER_HEADERS: Readonly<Record<number, object>> = {
  401: { 'WWW-Authenticate': header('Cómo autenticarse.', 'string', 'Bearer') },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
  504: RETRY_AFTER,
};

/** The context of the examples of errors, without a request. */
export type ShownErrors = Omit<ErrorContext, 'id'>;

/** The responses of an operation other than its success, by status. */
export function failureAnswers(operation: Operation, shown: ShownErrors): Record<string, object> {
  const ofBody: readonly FailureCode[] = operation.write?.body ? ['payload_too_large'] : [];
  const codes = [...operation.failures, ...ofBody];
  const byStatus = Object.groupBy(codes, (code) => FAILURES[code].status);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, ofStatus = []]) => [
      status,
      answer(operation, Number(status), ofStatus, shown),
    ]),
  );
}

/** Only these codes come with this status, and each is shown as it comes. */
function answer(
  operation: Operation,
  status: number,
  codes: readonly FailureCode[],
  shown: ShownErrors,
) {
  const ask = askForHelp(shown.operator);
  const meanings = codes.map(
    (code) => `- \`${code}\`: ${sentenceOf(code, ask).replaceAll('<', '&lt;')}`,
  );
  const [details] = codes.flatMap((code) => DETAILS[code] ?? []);
  const only = { code: { 'x-known-values': codes }, ...(details && { details }) };
  const examples = codes.map((code) => [
    code,
    { summary: code, value: exampleOf(operation, code, shown) },
  ]);
  return {
    description: meanings.join('\n'),
    headers: { ...ANSWER_HEADERS, ...FURTHER_HEADERS[status] },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { error: { properties: only } } },
          ],
        },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

/**
 * What `error.details` holds, of the codes that have it: at most one for each status of an
 * operation.
 */
const DETAILS: Readonly<Partial<Record<FailureCode, object>>> = {
  insufficient_scope: {
    type: 'object',
    description: 'Con `insufficient_scope`: el permiso que le falta a la clave.',
    required: ['required_scope'],
    properties: { required_scope: { type: 'string', 'x-known-values': KEY_SCOPES } },
  },
  ambiguous_order_id: {
    type: 'object',
    description: 'Con `ambiguous_order_id`: dónde está ese identificador.',
    required: ['marketplaces', 'accounts', 'accounts_total'],
    properties: {
      marketplaces: {
        type: 'array',
        description: 'En orden alfabético; si es uno solo, indica también `account_id`.',
        items: { type: 'string', 'x-known-values': MARKETPLACES },
      },
      accounts: {
        type: 'array',
        description:
          'Dónde está cada orden con ese identificador; las primeras 200. Con `marketplace` se acotan a uno.',
        items: {
          type: 'object',
          required: ['marketplace', 'account_id'],
          properties: {
            marketplace: { type: 'string', 'x-known-values': MARKETPLACES },
            account_id: { type: 'string' },
          },
        },
      },
      accounts_total: { type: 'integer', description: 'Cuántas son en total.' },
    },
  },
};

/** Failures that say more than their table's sentence. */
const SHOWN: Readonly<Partial<Record<FailureCode, (operation: Operation) => Failure>>> = {
  invalid_request: ({ query, refused }) => thrownBy(() => readQuery(query, refused)),
  invalid_cursor: () => fail('invalid_cursor', { param: 'cursor' }),
  plan_does_not_include_api: () => planRefusal(PLANS.basico.name),
  insufficient_scope: ({ scope }) =>
    scope === null ? fail('insufficient_scope') : scopeRefusal(scope),
  ambiguous_order_id: () =>
    fail('ambiguous_order_id', {
      details: {
        marketplaces: MARKETPLACES.slice(1, 3),
        accounts: [
          { marketplace: MARKETPLACES[1], account_id: 'A1B2C3D4E5F6G7' },
          { marketplace: MARKETPLACES[2], account_id: '8f2c1d90' },
        ],
        accounts_total: 2,
      },
    }),
};

function exampleOf(operation: Operation, code: FailureCode, shown: ShownErrors): unknown {
  const failure = SHOWN[code]?.(operation) ?? fail(code);
  return JSON.parse(failureBody(failure, { id: REQUEST_ID_EXAMPLE, ...shown }));
}

function thrownBy(work: () => unknown): Failure {
  try {
    work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('the example of a refused request was not refused');
}
