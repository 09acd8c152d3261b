// Generated from the migrated database by `npm run schema`; not edited by hand.
import type { ColumnType, Generated, Selectable } from 'kysely';
import type { Decimal } from '../money.ts';
import type { Instant } from '../time.ts';

/** Read as an instant, written as ISO text. */
type Time = ColumnType<Instant, string, string>;
type TimeOrNull = ColumnType<Instant | null, string | null, string | null>;
type TimeOrDefault = ColumnType<Instant, string | undefined, string>;
/** Exact decimals travel as text. */
type Numeric = ColumnType<Decimal, string, string>;
type NumericOrNull = ColumnType<Decimal | null, string | null, string | null>;
/** Read by a cast to text: the driver would make a `Date` of it. */
type Day = ColumnType<never, string, string>;
type TimesOrNull = ColumnType<never, readonly string[] | null, readonly string[] | null>;
type TimesOrDefault = ColumnType<never, readonly string[] | undefined, readonly string[]>;

/** The digest of the migrations that make these tables. */
export const MIGRATIONS_DIGEST = 'cef9b954a09555b015a060fd91248a9d3fd09b0073f13113e07ada1e99a7ddfa';

export interface Schema {
  acts: {
    organization_id: string;
    /** Order of arrival. */
    seq: Generated<number>;
    at: Time;
    act: string;
    /** `person`, `key`, `operator` or `house`. */
    done_by: 'person' | 'key' | 'operator' | 'house';
    person_id: string | null;
    address: string | null;
    /** The id of whom or what it was done to. */
    subject: string | null;
    /** What that is called, where it is no person. */
    label: string | null;
    role: string | null;
    key_id: string | null;
  };
  agent_calls: {
    organization_id: string;
    /** Order of arrival. */
    seq: Generated<number>;
    grant_id: string;
    person_id: string;
    client_id: string;
    tool: string;
    at: Time;
    duration_ms: number;
    row_count: number;
    /** `ok`, or the code of the failure. */
    outcome: string;
  };
  agent_grants: {
    organization_id: string;
    grant_id: string;
    person_id: string;
    client_id: string;
    client_name: string;
    redirect_host: string;
    scopes: string[];
    created_at: Time;
    last_used_at: TimeOrNull;
    disconnected_at: TimeOrNull;
  };
  agent_tools: {
    organization_id: string;
    grant_id: string;
    tool: string;
    calls: number;
    last_at: Time;
  };
  alerts: {
    organization_id: string;
    kind: string;
    subject: string;
    message: string;
    first_at: Time;
    last_at: Time;
    times: Generated<number>;
    resolved_at: TimeOrNull;
    told_at: TimeOrNull;
    settled_by: string | null;
  };
  api_deprecation_notices: {
    organization_id: string;
    version: string;
    sunset_at: Time;
    months: number;
  };
  api_deprecations: {
    version: string;
    deprecated_at: Time;
    sunset_at: Time;
    successor: string | null;
  };
  api_keys: {
    organization_id: string;
    id: string;
    name: string;
    /** SHA-256 of the whole key, in hex. */
    hash: string;
    last_four: string;
    scopes: string[];
    created_at: Time;
    expires_at: TimeOrNull;
    revoked_at: TimeOrNull;
    last_used_at: TimeOrNull;
    /** The key that takes this one's place; until `expires_at` both work. */
    replaced_by: string | null;
    /** `person` or `operator`; null = made before this was kept. */
    made_by: 'person' | 'operator' | null;
    made_by_person: string | null;
    /** Days before the end at which its managers were last notified. */
    end_told_at_days: number | null;
    /** The form that it was made with: each makes one. */
    form_id: string | null;
  };
  /** Below which amount of a purse an alert is raised. */
  balance_floors: {
    organization_id: string;
    service: string;
    account_id: string;
    purse: string;
    currency: string;
    least: Numeric;
  };
  balance_history: {
    organization_id: string;
    service: string;
    account_id: string;
    purse: string;
    currency: string;
    as_of: Time;
    available: NumericOrNull;
    pending: NumericOrNull;
    balance: NumericOrNull;
    credit_limit: NumericOrNull;
  };
  balances: {
    organization_id: string;
    /** A marketplace or a carrier. */
    service: string;
    account_id: string;
    purse: string;
    currency: string;
    connection_id: string;
    available: NumericOrNull;
    pending: NumericOrNull;
    /** When pending money becomes available: JSON of `{at, amount}`. */
    releases: string;
    as_of: Time;
    is_derived: boolean;
    /** When an amount changed last. */
    changed_at: Time;
    /** Of prepaid accounts. */
    balance: NumericOrNull;
    credit_limit: NumericOrNull;
  };
  billing_data: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    order_id: string;
    data_box: Buffer;
    data_digest: Buffer;
    recorded_at: Time;
  };
  carrier_receipts: {
    organization_id: string;
    id: string;
    carrier: string;
    received_at: Time;
    tracking_number: string;
    code: string;
    occurred_at: Time;
    /** Whether the event joined a shipment that was known. */
    linked: boolean;
    duplicate: boolean;
    payload_hash: string;
  };
  cfdi_orders: {
    organization_id: string;
    uuid: string;
    marketplace: string;
    account_id: string;
    order_id: string;
    origin: 'marketplace' | 'document' | 'person';
    state: 'linked' | 'rejected';
    linked_at: Time;
    told_at: TimeOrNull;
  };
  cfdi_relations: {
    organization_id: string;
    uuid: string;
    place: number;
    relation: string;
    related_uuid: string;
    amount: NumericOrNull;
  };
  cfdi_upload_files: {
    organization_id: string;
    upload_id: string;
    place: number;
    name_box: Buffer;
    size: number;
    crc: number;
    packed_box: Buffer | null;
    state: 'waiting' | 'new' | 'known' | 'refused';
    uuid: string | null;
    reason: string | null;
    message: string | null;
    asked_at: Time;
  };
  cfdi_uploads: {
    organization_id: string;
    id: string;
    asked_at: Time;
  };
  cfdis: {
    organization_id: string;
    uuid: string;
    kind: 'cfdi' | 'withholding';
    type: 'ingreso' | 'egreso' | 'traslado' | 'pago' | 'nomina' | 'retencion' | 'desconocido';
    issuer_rfc: string;
    receiver_rfc: string | null;
    currency: string | null;
    total: NumericOrNull;
    issued_at: Time;
    source: string;
    recorded_at: Time;
    record_box: Buffer;
    xml_box: Buffer;
    direction: Generated<'issued' | 'received' | 'other'>;
    status: Generated<'vigente' | 'cancelado' | 'desconocido'>;
    related_at: TimeOrNull;
    asked_at: TimeOrNull;
    ask_at: TimeOrNull;
    xml_size: number | null;
    look_at: TimeOrNull;
    withheld: NumericOrNull;
    period: string | null;
    isr: NumericOrNull;
    iva: NumericOrNull;
    is_of_platform: boolean | null;
    replaces: string | null;
  };
  connect_attempts: {
    organization_id: string;
    state_hash: string;
    service: string;
    /** Sealed PKCE verifier. */
    verifier: string;
    expires_at: Time;
    store: string | null;
  };
  connections: {
    organization_id: string;
    id: string;
    /** A marketplace or a carrier. */
    service: string;
    account_id: string;
    name: string;
    base_url: string | null;
    /** Sealed JSON; null once disconnected. */
    credentials: string | null;
    credentials_expire_at: TimeOrNull;
    state: string;
    /** What is wrong and what to do, in Spanish; null when all is well. */
    state_message: string | null;
    created_at: Time;
    updated_at: Time;
    disconnected_at: TimeOrNull;
    /** Sealed secret of its subscriptions there. */
    push_secret: string | null;
    /** What was refused: the access, its renewal or the permission; null while nothing is. */
    refused_what: 'access' | 'renewal' | 'permission' | null;
    /** When it was refused first. */
    refused_at: TimeOrNull;
    /** How often since then, refusals of the same few minutes counting once. */
    refusals: Generated<number>;
    /** When the renewal under way began; null when there is none. */
    renewing_since: TimeOrNull;
    paused_at: TimeOrNull;
    /** By a person here; otherwise the name is of the service. */
    is_name_given: Generated<boolean>;
  };
  credentials: {
    id: string;
    account_id: string;
    provider_id: string;
    person_id: string;
    access_token: string | null;
    refresh_token: string | null;
    id_token: string | null;
    access_token_expires_at: TimeOrNull;
    refresh_token_expires_at: TimeOrNull;
    scope: string | null;
    /** Argon2id with its parameters. */
    password: string | null;
    created_at: Time;
    updated_at: Time;
  };
  /** Keys of organisations for what they keep of buyers; the last one that opens seals. */
  data_keys: {
    organization_id: string;
    id: string;
    /** Sealed with the master key. */
    box: string;
    made_at: Time;
  };
  delta_clocks: {
    organization_id: string;
    /** Last stamp given to a change of an order; stamp order is commit order. */
    stamp: Time;
  };
  erased_rows: {
    organization_id: string;
    table_name: string;
    rows: number;
  };
  erasures: {
    organization_id: string;
    started_at: Time;
    services: string;
    ended_at: TimeOrNull;
  };
  /** Last stamp given to an event of an organisation. */
  event_clocks: {
    organization_id: string;
    stamp: Time;
  };
  events: {
    organization_id: string;
    id: string;
    type: string;
    created_at: Time;
    /** The `data` of the event as it goes out, as JSON text. */
    data: string;
    envelope: Generated<string>;
    /** Its stamp of the event clock; null = it was emitted before there was one. */
    logged_at: TimeOrNull;
  };
  /** Their files, in compressed and sealed parts of 256 KiB. */
  export_chunks: {
    organization_id: string;
    export_id: string;
    at: number;
    box: Buffer;
  };
  /** Exports asked for by the API or the page, with how far they are. */
  exports: {
    organization_id: string;
    id: string;
    what: string;
    format: string;
    from_day: string | null;
    to_day: string | null;
    has_earnings: boolean;
    state: 'queued' | 'running' | 'done' | 'failed';
    failure: 'disk_full' | 'interrupted' | null;
    tries: Generated<number>;
    rows: Generated<number>;
    bytes: Generated<number>;
    as_of: string | null;
    progress: string | null;
    created_at: Time;
    finished_at: TimeOrNull;
    marketplace: string | null;
    account_id: string | null;
    payout_id: string | null;
  };
  findings: {
    organization_id: string;
    id: string;
    marketplace: string;
    account_id: string;
    kind: string;
    subject: string;
    state: 'open' | 'explained' | 'resolved';
    amount: Numeric;
    expected: NumericOrNull;
    currency: string;
    since: Time;
    found_at: Time;
    changed_at: Time;
    note: string | null;
  };
  fiscal_profiles: {
    organization_id: string;
    person: 'natural' | 'legal' | null;
    regime: string | null;
    has_border_vat: Generated<boolean>;
    rfcs: Generated<string[]>;
    changed_at: Time;
  };
  /** Orders that are not stored yet, and whose buyers asked to be forgotten. */
  forgotten_ahead: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    order_id: string;
  };
  guide_attempts: {
    organization_id: string;
    id: string;
    /** Order of arrival. */
    seq: Generated<number>;
    line_id: string;
    batch_id: string;
    /** By it the carrier finds the guide again. */
    reference: string;
    state: string;
    carrier: string;
    connection_id: string | null;
    /** JSON of the request as it was sent. */
    request: string | null;
    tracking_number: string | null;
    guide_number: string | null;
    amount: NumericOrNull;
    available_balance: NumericOrNull;
    currency: string;
    error_code: string | null;
    error_message: string | null;
    zpl: string | null;
    pdf_base64: string | null;
    queued_at: Time;
    sent_at: TimeOrNull;
    settled_at: TimeOrNull;
    /** The guide was taken back before collection. */
    cancelled_at: TimeOrNull;
    request_box: Buffer | null;
    zpl_box: Buffer | null;
    pdf_box: Buffer | null;
  };
  guide_batch_lines: {
    organization_id: string;
    batch_id: string;
    position: number;
    line_id: string;
    /** Null = not done yet. */
    outcome: string | null;
    attempt_id: string | null;
    error_code: string | null;
    error_message: string | null;
  };
  guide_batches: {
    organization_id: string;
    id: string;
    idempotency_key: string;
    /** Keyed hash of what was asked for. */
    fingerprint: string;
    /** JSON of a former version; sealed by the housekeeping. */
    overrides: string | null;
    actor_kind: string;
    actor_id: string;
    actor_role: string;
    requested_at: Time;
    finished_at: TimeOrNull;
    /** The carrier's own id of the account that was asked for; null = as the settings say. */
    account_id: string | null;
    overrides_box: Buffer | null;
  };
  idempotent_requests: {
    organization_id: string;
    key_id: string;
    idempotency_key: string;
    fingerprint: string;
    answer_box: Buffer | null;
    made_at: Time;
  };
  installation: {
    one: Generated<boolean>;
    public_url: string;
  };
  invitations: {
    organization_id: string;
    id: string;
    email: string;
    role: 'owner' | 'admin' | 'member' | 'supervisor' | 'warehouse';
    token_hash: string;
    invited_by: string | null;
    created_at: Time;
    expires_at: Time;
    accepted_at: TimeOrNull;
    revoked_at: TimeOrNull;
  };
  invoice_documents: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    id: string;
    connection_id: string;
    file_name: string | null;
    uuid: string | null;
    /** As received, as a former version kept it; null once it is sealed. */
    xml: string | null;
    url: string | null;
    issued_at: TimeOrNull;
    /** When it changed last. */
    recorded_at: Time;
    first_seen_at: Time;
    /** `ingreso`, `egreso`, …, and until its XML was read `desconocido`. */
    type: Generated<'ingreso' | 'egreso' | 'traslado' | 'pago' | 'nomina' | 'desconocido'>;
    /** As the SAT has it; `desconocido` where it was never asked. */
    status: Generated<'vigente' | 'cancelado' | 'desconocido'>;
    issuer_rfc: string | null;
    receiver_rfc: string | null;
    total: NumericOrNull;
    currency: string | null;
    read_at: TimeOrNull;
    /** Why its XML could not be read, in Spanish. */
    read_failure: string | null;
    /** Its position in lists: when it was issued, else when it was first seen. */
    listed_at: TimeOrDefault;
    /** As received, compressed and sealed. */
    xml_box: Buffer | null;
    /** A keyed digest of the XML, by which a reading that says the same is known. */
    xml_digest: Buffer | null;
    /** Of the XML, where it is sealed. */
    xml_bytes: number | null;
  };
  invoice_orders: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    order_id: string;
    document_id: string;
  };
  /** Orders with movements; `told_at` null = not shown in the order yet. */
  ledger_orders: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    order_id: string;
    changed_at: Time;
    told_at: TimeOrNull;
  };
  logistics_settings: {
    organization_id: string;
    /** JSON. */
    settings: string;
    updated_at: Time;
  };
  members: {
    organization_id: string;
    person_id: string;
    role: 'owner' | 'admin' | 'member' | 'supervisor' | 'warehouse';
    created_at: Time;
    wants_alert_mails: Generated<boolean>;
  };
  migrations: {
    name: string;
    applied_at: TimeOrDefault;
  };
  /**
   * The ledger: what accounts of marketplaces gained and lost; rows are added, and never changed.
   */
  movements: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    report: string;
    key: string;
    revision: number;
    is_correction: boolean;
    connection_id: string;
    kind: string;
    amount: Numeric;
    currency: string;
    at: Time;
    native_type: string;
    order_id: string | null;
    payout_id: string | null;
    is_open: boolean;
    recorded_at: Time;
  };
  oauth_keys: {
    id: string;
    /** Sealed JSON. */
    box: string;
    made_at: Time;
  };
  oauth_records: {
    /** What kind of thing of the authorization server it is. */
    model: string;
    /** The SHA-256 in hex of what is secret. */
    id: string;
    /** JSON, as the server gave it, without the secret. */
    payload: string;
    grant_id: string | null;
    uid: string | null;
    expires_at: TimeOrNull;
    consumed_at: TimeOrNull;
  };
  /** Documents of orders, in bundles of an account. */
  order_documents: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    /**
     * The stamp of the first document that was in it; where `stamps` was null once, of the last.
     */
    recorded_at: Time;
    /** Whose document is at the same place. */
    order_ids: string[];
    /** Texts, compressed and sealed. */
    documents: Buffer;
    /** Not compressed: moved from an order's row. */
    is_plain: Generated<boolean>;
    /** The stamp of the change that it came with; null = its orders do not know of it yet. */
    stamps: TimesOrNull;
    /** So small that it is packed with its neighbours. */
    is_loose: Generated<boolean>;
    /** Since when it holds a document that a newer one replaced; null = it holds none. */
    replaced_at: TimeOrNull;
    /** Encrypted with the organisation's data key; what is not was kept by a former version. */
    is_sealed: Generated<boolean>;
  };
  order_history: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    order_id: string;
    recorded_at: Time;
    at: Time;
    status: string;
    marketplace_status: string;
    previous_status: string | null;
  };
  order_relations: {
    organization_id: string;
    value: string;
    /** `pack` or `tag`. */
    kind: string;
    marketplace: string;
    account_id: string;
    order_id: string;
  };
  /** Organisations whose older orders still get their terms, and the last one that did. */
  order_term_builds: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    id: string;
    is_repeated: Generated<boolean>;
  };
  /** What an order is found by, a row each, in the order of lists. */
  order_terms: {
    organization_id: string;
    term: string;
    newest_first: number;
    marketplace: string;
    account_id: string;
    id: string;
  };
  /** Titles of sold goods, folded, that are terms of orders. */
  order_titles: {
    organization_id: string;
    title: string;
  };
  orders: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    id: string;
    connection_id: string | null;
    status: string;
    marketplace_status: string;
    total: NumericOrNull;
    currency: string;
    date_created: Time;
    /**
     * Minus the epoch milliseconds of date_created: ascending = newest first, so one tuple pages
     * every list.
     */
    newest_first: number;
    last_updated: Time;
    /**
     * The source's own change time, null where it has none; with fetched_at the order's version.
     */
    changed_at: TimeOrNull;
    fetched_at: Time;
    fingerprint: string;
    /**
     * The public order of lists, and of the detail, without last_updated (and without
     * status_history).
     */
    list_json: string;
    detail_json: string;
    /** The buyer asked for it: no name and no document is kept again. */
    is_buyer_forgotten: Generated<boolean>;
    /**
     * What others than the marketplace know of it, beside what it said itself, as JSON; null =
     * nothing.
     */
    annotation: string | null;
    /** Which version of the public fields, and of the connectors' reading, it was rendered by. */
    representation: Generated<number>;
    /** The stamps of the changes that came with a document; the oldest first. */
    documented_at: TimesOrDefault;
    /**
     * The stamp of the last change that its source reported; null = stored before this was kept.
     */
    told_at: TimeOrNull;
  };
  organizations: {
    id: string;
    public_id: string;
    name: string;
    plan: string;
    /** Requests a minute; null = the plan's own figure. */
    quota_override: number | null;
    trial_ends_at: TimeOrNull;
    suspended_at: TimeOrNull;
    created_at: Time;
    timezone: Generated<string>;
    is_sample: Generated<boolean>;
  };
  /** Paquetexpress's own data model; written from JSON, see `store-details.ts`. */
  paquetexpress_shipments: {
    organization_id: string;
    account_id: string;
    tracking_number: string;
    guide_number: string | null;
    guide_number_formatted: string | null;
    guide_type: string | null;
    document_type: string | null;
    status_code: string;
    status_text: string | null;
    status_category: string;
    status_at: TimeOrNull;
    service_type: string | null;
    service_id: string | null;
    payment_mode: string | null;
    payment_type: string | null;
    payment_type_text: string | null;
    delivery_type: string | null;
    ack_type: string | null;
    ack_type_name: string | null;
    insurance_type: string | null;
    declared_value: NumericOrNull;
    package_count: number | null;
    package_code: string | null;
    content: string | null;
    sat_product_id: string | null;
    weight_kg: NumericOrNull;
    length_cm: NumericOrNull;
    width_cm: NumericOrNull;
    height_cm: NumericOrNull;
    volume_m3: NumericOrNull;
    rate_slab: string | null;
    origin_client_id: string | null;
    origin_name: string | null;
    origin_branch: string | null;
    origin_city: string | null;
    origin_state: string | null;
    origin_zip: string | null;
    destination_client_id: string | null;
    destination_name: string | null;
    destination_tax_id: string | null;
    destination_phone: string | null;
    destination_branch: string | null;
    destination_street: string | null;
    destination_number: string | null;
    destination_colony: string | null;
    destination_city: string | null;
    destination_state: string | null;
    destination_zip: string | null;
    delivery_route: string | null;
    reference: string | null;
    comments: string | null;
    subtotal_amount: NumericOrNull;
    tax_amount: NumericOrNull;
    total_amount: NumericOrNull;
    documented_at: TimeOrNull;
    promised_at: TimeOrNull;
    delivered_at: TimeOrNull;
    last_event_code: string;
    fetched_at: Time;
    /** The carrier's document, as a former version kept it; null once it is sealed. */
    raw: string | null;
    /** The carrier's document, compressed and sealed. */
    raw_box: Buffer | null;
    /** A keyed digest of the document, by which a reading that says the same is known. */
    raw_digest: Buffer | null;
    personal_box: Buffer | null;
    is_recipient_forgotten: Generated<boolean>;
  };
  passkeys: {
    id: string;
    person_id: string;
    name: string | null;
    public_key: string;
    credential_id: string;
    counter: number;
    device_type: string;
    backed_up: boolean;
    transports: string | null;
    aaguid: string | null;
    created_at: TimeOrNull;
    suspended_at: TimeOrNull;
  };
  people: {
    id: string;
    name: string;
    email: string;
    email_verified: Generated<boolean>;
    image: string | null;
    second_factor_enabled: Generated<boolean>;
    created_at: Time;
    updated_at: Time;
  };
  /** What goods weigh and measure, by our own SKU; null = not known yet. */
  products: {
    organization_id: string;
    sku: string;
    title: string;
    weight_kg: NumericOrNull;
    length_cm: NumericOrNull;
    width_cm: NumericOrNull;
    height_cm: NumericOrNull;
    updated_at: Time;
  };
  receipts: {
    organization_id: string;
    id: string;
    connection_id: string;
    source: string;
    received_at: Time;
    body: string;
    processed_at: TimeOrNull;
    outcome: string | null;
    /**
     * How many pushes this row counts: those beyond a connection's budget are counted and not kept.
     */
    pushes: Generated<number>;
  };
  removals: {
    id: string;
    at: Time;
    kind: string;
    organization_id: string;
    subject: string;
    written_at: TimeOrNull;
  };
  /** Requests by minute and caller; `refused` are those answered with 429. */
  request_counts: {
    organization_id: string;
    minute: Time;
    caller_kind: 'key' | 'agent';
    caller_id: string;
    admitted: number;
    refused: number;
  };
  /**
   * How far the orders of an organisation were rendered anew for a version of the representation.
   */
  rerenderings: {
    organization_id: string;
    /** To which version. */
    representation: number;
    /** The last order that was looked at, by primary key. */
    marketplace: Generated<string>;
    account_id: Generated<string>;
    order_id: Generated<string>;
    /** The orders that there were at the beginning; null = not counted yet. */
    total: number | null;
    visited: Generated<number>;
    /** Those that say something else now. */
    changed: Generated<number>;
    /**
     * Those without a document that could be read alone: they were rendered from what is stored.
     */
    undocumented: Generated<number>;
    /** Those whose document cannot be read any more. */
    unreadable: Generated<number>;
    started_at: Time;
    /** When the next step is due. */
    due_at: Time;
    ended_at: TimeOrNull;
    is_failing: Generated<boolean>;
  };
  restores: {
    restored_at: Time;
    as_of: Time;
  };
  /** Orders by the day of their creation in Mexico City and by their status now. */
  sales_days: {
    organization_id: string;
    day: Day;
    marketplace: string;
    account_id: string;
    /** The marketplace that the order came through, where a shop only mirrors it; else empty. */
    storefront: string;
    currency: string;
    status: string;
    /** With a total. */
    orders: number;
    orders_without_total: number;
    units: number;
    gross: Numeric;
    /** Given back so far, whenever it was. */
    refunds: Numeric;
    /** Of these: without a date. */
    undated_refunds: Numeric;
  };
  sales_products: {
    organization_id: string;
    day: Day;
    marketplace: string;
    account_id: string;
    storefront: string;
    currency: string;
    product: string;
    title: string;
    orders: number;
    units: number;
    gross: Numeric;
  };
  /** Organisations whose orders were recorded before there were sums. */
  sales_recounts: {
    organization_id: string;
  };
  /** Refunds by the day on which they were made. */
  sales_refunds: {
    organization_id: string;
    day: Day;
    marketplace: string;
    account_id: string;
    storefront: string;
    currency: string;
    refunds: number;
    amount: Numeric;
  };
  /** Filters that a person keeps under a name; theirs alone. */
  saved_views: {
    organization_id: string;
    person_id: string;
    place: string;
    name: string;
    query: string;
    saved_at: Time;
  };
  schedules: {
    organization_id: string;
    task: string;
    subject: string;
    every_seconds: number;
    due_at: Time;
    /** Null = never yet: a connection's first run. */
    claimed_at: TimeOrNull;
    /**
     * When the due time was set, by the clock of the process that did; null = by an older release.
     */
    planned_at: TimeOrNull;
    /** Runs in a row that got no answer. */
    setbacks: Generated<number>;
  };
  search_terms: {
    organization_id: string;
    term: string;
    newest_first: number;
    order_key: number;
  };
  second_factors: {
    id: string;
    person_id: string;
    /** Encrypted by better-auth under a version that names the key. */
    secret: string;
    backup_codes: string;
    verified: Generated<boolean>;
    failed_count: Generated<number>;
    locked_until: TimeOrNull;
  };
  sessions: {
    id: string;
    person_id: string;
    /** SHA-256 in hex of the token in the cookie. */
    token: string;
    /** The end however it is used. */
    expires_at: Time;
    ip_address: string | null;
    user_agent: string | null;
    created_at: Time;
    updated_at: Time;
    /** By our clock, to the minute; null until it was first used. */
    last_seen_at: TimeOrNull;
    opened_by: Generated<'password' | 'code' | 'backup_code' | 'passkey'>;
    /** By our clock; null until this session used a second factor. */
    factor_used_at: TimeOrNull;
    /** By our clock; null until the password was typed inside this session. */
    password_given_at: TimeOrNull;
  };
  settlements: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    id: string;
    connection_id: string;
    status: string;
    marketplace_status: string;
    currency: string;
    gross: NumericOrNull;
    fees: NumericOrNull;
    net: Numeric;
    period_from: TimeOrNull;
    period_to: TimeOrNull;
    paid_at: TimeOrNull;
    reference: string | null;
    changed_at: TimeOrNull;
    /**
     * Its position in lists: when it was paid, else when its period ends, else when it was first
     * seen.
     */
    listed_at: Time;
    raw: string;
  };
  shipment_events: {
    organization_id: string;
    carrier: string;
    tracking_number: string;
    code: string;
    occurred_at: Time;
    /** Order of arrival, for events of one instant. */
    seq: Generated<number>;
    source: string;
    category: string | null;
    description: string | null;
    location: string | null;
    account_id: string | null;
    /** Null = its shipment is not known yet. */
    shipment_id: string | null;
    recorded_at: Time;
    /** The receipt of the push that brought it; null = it was asked for. */
    receipt_id: string | null;
  };
  shipment_relations: {
    organization_id: string;
    /** An order's id, pack or tag, as it was given to the carrier. */
    value: string;
    carrier: string;
    account_id: string;
    shipment_id: string;
  };
  shipments: {
    organization_id: string;
    carrier: string;
    account_id: string;
    id: string;
    connection_id: string;
    tracking_number: string | null;
    guide_number: string | null;
    category: string;
    /** The native state, raw. */
    carrier_status: string;
    is_final: boolean;
    is_damaged: boolean;
    final_carrier: string | null;
    service_type: string | null;
    cost: NumericOrNull;
    currency: string;
    declared_value: NumericOrNull;
    created_at: Time;
    picked_up_at: TimeOrNull;
    delivered_at: TimeOrNull;
    estimated_delivery: TimeOrNull;
    /** JSON of a place. */
    origin: string | null;
    destination: string | null;
    /** JSON lists. */
    packages: string;
    order_reference: string | null;
    relations: string;
    /** The order that it was found to carry; null = none, or not one alone. */
    order_marketplace: string | null;
    order_account_id: string | null;
    order_id: string | null;
    changed_at: TimeOrNull;
    fetched_at: Time;
    recorded_at: Time;
    /** When anything that it says changed last. */
    updated_at: Time;
    fingerprint: string;
    /** The carrier's document, as a former version kept it; null once it is sealed. */
    raw: string | null;
    /** It brings goods back to the seller. */
    is_return: Generated<boolean>;
    /** The shipment of the same account that it follows, stored or not. */
    parent_id: string | null;
    /** The carrier's document, compressed and sealed. */
    raw_box: Buffer | null;
    is_recipient_forgotten: Generated<boolean>;
  };
  /**
   * Of whom something was pushed, so that where they stand now is still to be found out; some in
   * each row.
   */
  shipments_to_settle: {
    organization_id: string;
    seq: Generated<number>;
    carrier: string;
    /** As many as `shipment_ids`: the accounts of these. */
    account_ids: string[];
    shipment_ids: string[];
  };
  sign_in_failures: {
    /** Of an account, or of an account and a browser. */
    key: string;
    count: number;
    since: Time;
  };
  sign_in_limits: {
    id: string;
    key: string;
    count: number;
    last_request: number;
  };
  /** What a marketplace's SKU or item is of ours; several rows of one code are a kit. */
  sku_equivalences: {
    organization_id: string;
    marketplace: string;
    /** Empty = every account of the marketplace. */
    account_id: string;
    code: string;
    sku: string;
    units: number;
    updated_at: Time;
  };
  stock_history: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    item_id: string;
    variation_id: string;
    warehouse: string;
    at: Time;
    available: number | null;
    unavailable: number;
    is_gone: boolean;
  };
  stock_levels: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    item_id: string;
    variation_id: Generated<string>;
    warehouse: string;
    connection_id: string;
    sku: string | null;
    title: string;
    /** Null = without limit. */
    available: number | null;
    unavailable: number;
    /** When what it says changed last. */
    updated_at: Time;
    /** SKU and title as they are searched: lower case, without accents. */
    search_text: Generated<string>;
    /** When a pass or a notification saw it last. */
    seen_at: Time;
    /** When a whole pass first did not show it; pages shift, so one pass proves nothing. */
    missing_since: TimeOrNull;
    /** Since when the marketplace no longer has it. */
    gone_at: TimeOrNull;
  };
  streams: {
    organization_id: string;
    connection_id: string;
    stream: string;
    /** Largest change time of a finished pass; the next one starts an overlap before it. */
    watermark: TimeOrNull;
    /** The pass under way: where it stands and the window it walks; null between passes. */
    position: string | null;
    window_from: TimeOrNull;
    window_to: TimeOrNull;
    largest_seen: TimeOrNull;
    pages: Generated<number>;
    items: Generated<number>;
    first_import_done_at: TimeOrNull;
    last_sync_at: TimeOrNull;
    last_error: string | null;
    last_error_at: TimeOrNull;
    /** Pages of the pass under way, over all its runs. */
    pass_pages: Generated<number>;
    /** Rows that a page of it is asked to have; null = as many as its stream says. */
    page_limit: number | null;
    /** Rows that the pass under way has read. */
    pass_items: Generated<number>;
    /** Rows of the whole pass, as the service counts them; null = it counts none. */
    pass_total: number | null;
  };
  sync_runs: {
    organization_id: string;
    connection_id: string;
    stream: string;
    /** Its number modulo how many are kept of each stream. */
    slot: number;
    number: number;
    /** A run that stopped goes on: its next part has the same beginning. */
    begun_at: Time;
    ended_at: Time;
    outcome: 'done' | 'behind' | 'stopped';
    items: number;
    /** Why it stopped, in Spanish; null = it did not. */
    reason: string | null;
  };
  unreadable_items: {
    organization_id: string;
    connection_id: string;
    stream: string;
    /** Hash of the raw text: the same rubbish twice is one row. */
    digest: string;
    external_id: string | null;
    reason: string;
    /** Its document, sealed; empty = it is not kept. */
    box: string;
    first_seen_at: Time;
    last_seen_at: Time;
    times: Generated<number>;
    /** Where the window begins in which it was met first; null = it has no beginning. */
    window_from: TimeOrNull;
  };
  used_codes: {
    person_id: string;
    code_hash: string;
    used_at: Time;
  };
  verifications: {
    id: string;
    identifier: string;
    value: string;
    expires_at: Time;
    created_at: Time;
    updated_at: Time;
  };
  warehouse_actions: {
    organization_id: string;
    seq: Generated<number>;
    /** Null = about the whole warehouse. */
    line_id: string | null;
    actor_kind: string;
    actor_id: string;
    actor_role: string;
    action: string;
    at: Time;
    /** JSON. */
    details: string;
  };
  warehouse_line_orders: {
    organization_id: string;
    marketplace: string;
    account_id: string;
    order_id: string;
    line_id: string;
    status: string;
    /** JSON lists. */
    items: string;
    tags: string;
  };
  /** Pre-shipping lines: one parcel each. */
  warehouse_lines: {
    organization_id: string;
    id: string;
    marketplace: string;
    account_id: string;
    /** `order:…` or `pack:…`. */
    parcel: string;
    pack_id: string | null;
    state: string;
    packages: number;
    /** JSON of an address; null = not given yet. */
    destination: string | null;
    carrier: string | null;
    tracking_number: string | null;
    guide_number: string | null;
    /** `guide` or `manual`. */
    tracking_source: string | null;
    /** The shipment at Zipnova that was set on its way. */
    carrier_shipment_id: string | null;
    staged_at: Time;
    in_transit_at: TimeOrNull;
    transferred_at: TimeOrNull;
    updated_at: Time;
    destination_box: Buffer | null;
    is_buyer_forgotten: Generated<boolean>;
  };
  /** Every request to an endpoint with the beginning of its answer. */
  webhook_attempts: {
    organization_id: string;
    endpoint_id: string;
    at: Time;
    id: string;
    event_id: string;
    try: number;
    outcome: string;
    status: number | null;
    milliseconds: number;
    answer: string;
    event_type: Generated<string>;
  };
  /** One event for one endpoint, and when it is tried next. */
  webhook_deliveries: {
    organization_id: string;
    endpoint_id: string;
    event_at: Time;
    event_id: string;
    state: 'pending' | 'delivered' | 'exhausted' | 'aborted';
    tries: Generated<number>;
    due_at: Time;
    lease: string | null;
    leased_until: TimeOrNull;
  };
  /** Addresses of customers that receive events; their secrets are sealed by the vault. */
  webhook_endpoints: {
    organization_id: string;
    id: string;
    url: string;
    types: string[];
    marketplaces: string[];
    account_ids: string[];
    rate_per_minute: number | null;
    is_operator_trusted: boolean;
    signature: 'hmac' | 'ed25519';
    secret_box: Buffer;
    former_secret_box: Buffer | null;
    former_secret_until: TimeOrNull;
    headers_box: Buffer | null;
    state: 'enabled' | 'disabled' | 'disabled_by_plan';
    disabled_at: TimeOrNull;
    disabled_because: string | null;
    created_at: Time;
    failing_since: TimeOrNull;
    slow_downs: Generated<number>;
    paused_until: TimeOrNull;
    lease: string | null;
    leased_until: TimeOrNull;
  };
  /** The sealed secrets in an organisation's addresses for services that call it. */
  webhook_secrets: {
    organization_id: string;
    service: string;
    id: string;
    secret: string;
    created_at: Time;
    expires_at: TimeOrNull;
  };
}

/** Rows as they are read. */
export type Rows = { readonly [Table in keyof Schema]: Readonly<Selectable<Schema[Table]>> };

/** Tables whose rows belong to one organisation. */
export type OrganizationTable = {
  [Table in keyof Schema]: Schema[Table] extends { organization_id: string } ? Table : never;
}[keyof Schema];
