import {
  type Attributes,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

// Spans of OpenTelemetry. They go nowhere unless the operator loads an SDK before the program
// (docs/running.md). No attribute has a path, a query, a body or a credential.

const tracer = trace.getTracer('tianguis');

/** A request of ours that is under way. */
interface RequestSpan {
  /** Spans that begin in it are its children. */
  within(work: () => void): void;
  end(status: number): void;
}

/** A task as a span; one that throws is marked as failed, without the message. */
export function traced<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A request to us, as a child of the caller's span where its headers name one. */
export function beginRequestSpan(
  name: string,
  headers: Readonly<Record<string, unknown>>,
  attributes: Attributes,
): RequestSpan {
  const callers = propagation.extract(context.active(), headers);
  const span = tracer.startSpan(name, { attributes, kind: SpanKind.SERVER }, callers);
  return {
    within: (work) => context.with(trace.setSpan(callers, span), work),
    end(status) {
      span.setAttribute('http.response.status_code', status);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
