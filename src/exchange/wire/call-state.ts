import type { Application, CallRequest, Service, WireAnswer } from '../../connectors/contract.ts';
import type { Breakers } from '../../platform/breaker.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Network } from '../../platform/network.ts';
import type { Throttle } from '../../platform/throttle.ts';
import type { Patience } from './patience.ts';

/** The parts that all calls of a process share. */
export interface Wire {
  readonly network: Network;
  readonly throttle: Throttle;
  readonly breakers: Breakers;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Between 0 and 1; spreads retries. */
  readonly random: () => number;
}

/** The service that is called, and the access to it. */
export interface Caller<Credentials> {
  readonly connector: Service<Credentials>;
  readonly credentials: Credentials;
  readonly application: Application | null;
  /** The throttle's lane; the connection's id. */
  readonly lane: string;
  /** The address of a simulator that replaces every host of the service; null = its own hosts. */
  readonly baseUrl: string | null;
  /** Other addresses for single hosts, by the name in `auth.hosts`; they precede `baseUrl`. */
  readonly hostUrls?: Readonly<Record<string, string>>;
  /** `public` where a customer typed the address. */
  readonly addresses: 'public' | 'any';
  /** Gets new credentials after a 401; null = these credentials cannot be renewed. */
  readonly renew: ((stale: Credentials) => Promise<Credentials>) | null;
  /** Ends the waits; what is under way is given up. */
  readonly signal?: AbortSignal | undefined;
  /** Absent: four attempts, and waits of up to half a minute. */
  readonly patience?: Patience;
  readonly observer?: CallObserver;
}

/** Sees the requests of a connection and their answers. */
export interface CallObserver {
  /** An answer for a request that must not be sent; null = the request is sent. */
  instead(request: CallRequest): Pick<WireAnswer, 'status' | 'headers' | 'body'> | null;
  /** Called before the answer is read. */
  answered(request: CallRequest, answer: WireAnswer): void;
}

/** The state that the requests of one open call share. */
export interface CallState<Credentials> {
  readonly wire: Wire;
  readonly caller: Caller<Credentials>;
  readonly patience: Patience;
  /** The current credentials; a renewal replaces them. */
  credentials: Credentials;
  /** The renewal under way. */
  renewing: Promise<void> | null;
}
