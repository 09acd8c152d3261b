/** The shape of the operations that the panel calls. */
import type { z } from 'zod';
import type { ExchangeParts } from '../../exchange/parts.ts';
import type { FreshnessMemory } from '../../features/connections/index.ts';
import type { ClockCache, DeltaClock } from '../../features/orders/index.ts';
import type { Organization } from '../../features/organizations/index.ts';
import type { FactorLack, Role, SignedIn } from '../../features/people/index.ts';
import type { Quota } from '../../features/quota/index.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type {
  Database,
  Handle,
  OrganizationDatabase,
  ReadScope,
} from '../../platform/db/database.ts';
import type { Given } from '../../platform/input-fields.ts';
import { rawNumber } from '../../platform/json.ts';
import type { Postbox } from '../../platform/mail.ts';
import type { Decimal } from '../../platform/money.ts';
import type { Operator } from '../../platform/operator.ts';
import type { Requirement } from '../navigation.ts';

/** What operations work with. */
export interface PanelParts {
  readonly database: Database;
  readonly exchange: ExchangeParts;
  readonly cursors: CursorMaker;
  readonly clocks: ClockCache;
  readonly freshness: FreshnessMemory;
  readonly clock: Clock;
  readonly postbox: Postbox;
  readonly quota: Quota;
}

/** A person in an organisation who calls. */
export interface Caller {
  readonly person: SignedIn;
  readonly role: Role;
  readonly organization: Organization;
  readonly operator: Operator;
  /** The proof that this session lacks for credentials; null = none. */
  readonly factorLack: FactorLack | null;
}

interface ReadCall extends Caller {
  /** The names of the operations that the caller may call. */
  readonly allowed: readonly string[];
  readonly exchange: ExchangeParts;
  readonly handle: Handle;
  /** Narrowed to the organisation. */
  readonly scope: ReadScope;
  readonly cursors: CursorMaker;
  readonly freshness: FreshnessMemory;
  readonly clock: Clock;
  readonly quota: Quota;
  /** The organisation's delta clock as this process knows it; null = the verb reads it. */
  readonly delta: DeltaClock | null;
}

/** Narrowed to the organisation; a write checks the caller's role in its transaction. */
export type PersonDatabase = Pick<OrganizationDatabase, 'read' | 'write'>;

interface WriteCall extends Caller {
  readonly database: PersonDatabase;
  readonly exchange: ExchangeParts;
  readonly postbox: Postbox;
  /** For the trail. */
  readonly by: PersonDoing;
  /** Aborts when the time of the request is over, or the caller left. */
  readonly signal: AbortSignal;
}

/** An answer that is text already: the JSON of what `output` describes. */
interface Written {
  readonly written: string;
}

interface Shaped<Input extends z.ZodObject, Output extends z.ZodType> extends Requirement {
  /** A strict object, with the features' own fields; `inputOf` makes one. */
  readonly input: Input;
  /** Of the answer. Tests hold every answer against it. */
  readonly output: Output;
}

/** `read`: asked by GET, the input in the query. `poll`: the same, and never activity of a person. */
interface Read<Input extends z.ZodObject, Output extends z.ZodType> extends Shaped<Input, Output> {
  readonly kind: 'read' | 'poll';
  run(call: ReadCall, input: Given<Input>): Promise<z.output<Output> | Written>;
}

/** Asked by POST, the input as JSON, from our own pages only. */
interface Write<Input extends z.ZodObject, Output extends z.ZodType> extends Shaped<Input, Output> {
  readonly kind: 'write';
  /** After the trial everything else is refused. */
  readonly isOpenAfterTrial?: true;
  /** For credentials and secrets: only in a session that used a second factor. */
  readonly needsSecondFactor?: true;
  /** A job does what is asked: the answer is 202 with an id, by which a poll reads how far it is. */
  readonly isJob?: true;
  /** Of the request; absent = as much as a form has. */
  readonly mostBytes?: number;
  run(call: WriteCall, input: Given<Input>): Promise<z.output<Output> | Written>;
}

export type AnyOperation = Read<z.ZodObject, z.ZodType> | Write<z.ZodObject, z.ZodType>;

export function defineRead<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Omit<Read<Input, Output>, 'kind'> & { readonly kind?: 'poll' },
): Read<Input, Output> {
  return { kind: 'read', ...operation };
}

export function defineWrite<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Omit<Write<Input, Output>, 'kind'>,
): Write<Input, Output> {
  return { kind: 'write', ...operation };
}

/** An exact amount as a number of the answer: JSON writes it with the digits that it has. */
export function toAmount(value: Decimal): number;
export function toAmount(value: Decimal | null): number | null;
export function toAmount(value: Decimal | null): number | null {
  return value === null ? null : (rawNumber(value) as unknown as number);
}
