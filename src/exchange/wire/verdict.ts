import type { CallRequest, Service, Verdict, WireAnswer } from '../../connectors/contract.ts';

/** What to do with an answer: the connector's verdict precedes that of the status. */
export function verdictOf(
  connector: Pick<Service<unknown>, 'verdict'>,
  answer: WireAnswer,
  request: CallRequest,
): Verdict {
  if (request.expect?.includes(answer.status)) return 'ok';
  const special = connector.verdict?.(answer) ?? null;
  if (special !== null) return special;
  if (answer.status >= 200 && answer.status < 300) return 'ok';
  if (answer.status === 401) return 'renew';
  return answer.status === 429 || isUnable(answer.status) ? 'retry' : 'refuse';
}

/**
 * Whether the connector handles the refusal itself, of a request that may be refused. A session
 * that the connector opened is renewed by the connector only.
 */
export function isForConnector(verdict: Verdict, { anonymous }: CallRequest): boolean {
  return verdict === 'refuse' || (verdict === 'renew' && anonymous === true);
}

/** The host says that it cannot answer now. */
export function isUnable(status: number): boolean {
  return status === 408 || status >= 500;
}
