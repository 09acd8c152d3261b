import type { Application, Call } from './call.ts';
import type { StreamName } from './stream.ts';

/** Webhook notifications of a service. They name the changed item; the engine fetches it. */
export interface Notifications<Credentials> {
  /** For services that sign nothing: the address holds a token of the connection. */
  readonly isTokened?: true;
  /**
   * Bytes; absent = 256 KB. Less for services that sign nothing: a larger body is forged. More for
   * those whose signed webhooks hold whole orders; only the address of a connection takes more.
   */
  readonly mostBytes?: number;
  /**
   * The fields stored as the receipt, where the body is not trusted or holds a buyer's data.
   * Absent = the whole body.
   */
  kept?(webhook: Webhook): unknown;
  /** The account that a body names, where the address does not; null = it names none. */
  account(webhook: Webhook): string | null;
  verify(webhook: Webhook, credentials: Credentials, secrets: WebhookSecrets): boolean;
  /** Verifies a privacy request without credentials, since it may follow a disconnection. */
  verifyPrivacy?(webhook: Webhook, secrets: WebhookSecrets): boolean;
  notificationsIn(webhook: Webhook): Notification[];
  /**
   * Registers our webhooks and repairs them; webhooks of other clients stay unchanged.
   * @returns Spanish sentences about changes that the service does not notify for lack of a permission
   */
  ensure?(call: Call<Credentials>, target: WebhookTarget): Promise<readonly string[]>;
  /** Deletes what `ensure` registered for this address. Absent = there is nothing to delete. */
  remove?(call: Call<Credentials>, target: WebhookTarget): Promise<void>;
}

export interface Webhook {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** As received, for signatures. */
  readonly text: string;
  /** Parsed without loss; null = it is not JSON. */
  readonly body: unknown;
}

interface WebhookSecrets {
  readonly application: Application | null;
  /** Of this connection's subscriptions. */
  readonly secret: string;
}

export interface WebhookTarget extends WebhookSecrets {
  /** The webhook address of this connection; secret. */
  readonly address: string;
}

/** The request of a notification: to fetch an item again, or a privacy request by law. */
export type Notification = Refetch | PrivacyRequest;

export interface Refetch {
  readonly stream: StreamName;
  /** An argument of the stream's `one`. */
  readonly id: string;
}

/**
 * Erase the buyer of these orders, erase all personal data of the account, or report a buyer's data
 * to the seller.
 */
export type PrivacyRequest =
  | { readonly forget: 'buyer'; readonly orderIds: readonly string[] }
  | { readonly forget: 'account' }
  | { readonly show: 'buyer'; readonly orderIds: readonly string[] };
