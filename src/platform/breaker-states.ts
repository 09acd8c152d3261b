/** Where a call goes, and for whom. */
export interface Route {
  readonly origin: string;
  /** The connection that asks. */
  readonly lane: string;
  /** The marketplace or carrier, for the metrics. */
  readonly service: string;
}

/** Consecutive failures. Times are in milliseconds of `Moment.now`, but for `since`. */
export interface Circuit {
  readonly service: string;
  readonly failures: number;
  /** Epoch milliseconds of the first of the failures. */
  readonly since: number;
  readonly triedAt: number;
  readonly tries: number;
}

export interface Host {
  /** Its silences; null = it answered. */
  readonly circuit: Circuit | null;
  /** The connections that met its silence, so many as matter. */
  readonly silentLanes: readonly string[];
  /** Until when it is known to answer slowly. */
  readonly slowUntil: number;
}

/** What is known of a route; null = nothing that matters. */
export interface RouteState {
  readonly lane: Circuit | null;
  readonly host: Host | null;
}

export interface Moment {
  /** Only comparable with times of the same states. */
  readonly now: number;
  /** How many processes decide by themselves, this one among them. */
  readonly deciders: number;
}

/** A pure function: it runs again where another process changed the state meanwhile. */
type Change<Result> = (
  state: RouteState,
  moment: Moment,
) => { readonly state: RouteState; readonly result: Result };

/** Where the states of circuit breakers are kept. */
export interface BreakerStates {
  /** Changes the state of a route in one step; the same state = nothing is stored. */
  change<Result>(route: Route, change: Change<Result>): Promise<Result>;
  /** Of all routes that this process called. */
  known(): Promise<KnownStates>;
}

interface KnownStates {
  readonly lanes: readonly Circuit[];
  readonly hosts: readonly Host[];
}

export function laneKey({ origin, lane }: Route): string {
  return `${origin} ${lane}`;
}
