import type { Call, CallOptions, CallRequest, WireAnswer } from '../../connectors/contract.ts';
import { openBudget } from './budget.ts';
import type { Caller, CallState, Wire } from './call-state.ts';
import { PATIENT } from './patience.ts';
import { assertWhole, parse } from './read-answer.ts';
import { ask } from './retry.ts';

/** Calls of work with many steps. Each step has a budget; calls outside of any step share one. */
export interface StepCall<Credentials> extends Call<Credentials> {
  /** For one step: a page of a stream, or one thing. */
  step(): Call<Credentials>;
}

/**
 * Opens calls to a service. A request is signed, throttled, sent, judged, retried with growing
 * waits, and its answer parsed; credentials are renewed once. A host that does not answer is called
 * as the circuit breakers allow.
 */
export function openCall<Credentials>(
  wire: Wire,
  caller: Caller<Credentials>,
): StepCall<Credentials> {
  const state: CallState<Credentials> = {
    wire,
    caller,
    patience: caller.patience ?? PATIENT,
    credentials: caller.credentials,
    renewing: null,
  };
  const step = () => openStep(state);
  // Assigned to, since a spread would copy the credentials of now.
  return Object.assign(step(), { step });
}

function openStep<Credentials>(state: CallState<Credentials>): Call<Credentials> {
  const { slug } = state.caller.connector;
  const budget = openBudget(slug);
  const within = <T>(request: CallRequest, read: (answer: WireAnswer) => T): Promise<T> => {
    budget.ask();
    return ask(state, request, (answer) => {
      budget.take(answer);
      return read(answer);
    });
  };
  return {
    service: slug,
    get credentials() {
      return state.credentials;
    },
    now: () => state.wire.clock.now(),
    request: async (request) => within(request, assertWhole),
    get: async (path, schema, options: CallOptions = {}) =>
      within({ ...options, method: 'GET', path }, (answer) => parse(slug, answer, schema, path)),
  };
}
