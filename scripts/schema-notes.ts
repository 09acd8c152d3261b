/** What the catalogue cannot say of a table or a column; `npm run schema` writes it beside them. */

export const TABLE_NOTES: Readonly<Record<string, string>> = {
  request_counts: 'Requests by minute and caller; `refused` are those answered with 429.',
  rerenderings:
    'How far the orders of an organisation were rendered anew for a version of the representation.',
  forgotten_ahead: 'Orders that are not stored yet, and whose buyers asked to be forgotten.',
  data_keys: 'Keys of organisations for what they keep of buyers; the last one that opens seals.',
  order_documents: 'Documents of orders, in bundles of an account.',
  saved_views: 'Filters that a person keeps under a name; theirs alone.',
  balance_floors: 'Below which amount of a purse an alert is raised.',
  order_terms: 'What an order is found by, a row each, in the order of lists.',
  order_titles: 'Titles of sold goods, folded, that are terms of orders.',
  order_term_builds:
    'Organisations whose older orders still get their terms, and the last one that did.',
  sales_days: 'Orders by the day of their creation in Mexico City and by their status now.',
  sales_refunds: 'Refunds by the day on which they were made.',
  sales_recounts: 'Organisations whose orders were recorded before there were sums.',
  shipments_to_settle:
    'Of whom something was pushed, so that where they stand now is still to be found out; some in each row.',
  paquetexpress_shipments:
    "Paquetexpress's own data model; written from JSON, see `store-details.ts`.",
  webhook_secrets: "The sealed secrets in an organisation's addresses for services that call it.",
  event_clocks: 'Last stamp given to an event of an organisation.',
  webhook_endpoints:
    'Addresses of customers that receive events; their secrets are sealed by the vault.',
  webhook_deliveries: 'One event for one endpoint, and when it is tried next.',
  exports: 'Exports asked for by the API or the page, with how far they are.',
  export_chunks: 'Their files, in compressed and sealed parts of 256 KiB.',
  webhook_attempts: 'Every request to an endpoint with the beginning of its answer.',
  movements:
    'The ledger: what accounts of marketplaces gained and lost; rows are added, and never changed.',
  ledger_orders: 'Orders with movements; `told_at` null = not shown in the order yet.',
  products: 'What goods weigh and measure, by our own SKU; null = not known yet.',
  sku_equivalences:
    "What a marketplace's SKU or item is of ours; several rows of one code are a kit.",
  warehouse_lines: 'Pre-shipping lines: one parcel each.',
};

export const COLUMN_NOTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organizations: {
    quota_override: "Requests a minute; null = the plan's own figure.",
  },
  events: {
    data: 'The `data` of the event as it goes out, as JSON text.',
    logged_at: 'Its stamp of the event clock; null = it was emitted before there was one.',
  },
  delta_clocks: {
    stamp: 'Last stamp given to a change of an order; stamp order is commit order.',
  },
  api_keys: {
    hash: 'SHA-256 of the whole key, in hex.',
    replaced_by: "The key that takes this one's place; until `expires_at` both work.",
    made_by: '`person` or `operator`; null = made before this was kept.',
    end_told_at_days: 'Days before the end at which its managers were last notified.',
    form_id: 'The form that it was made with: each makes one.',
  },
  acts: {
    seq: 'Order of arrival.',
    done_by: '`person`, `key`, `operator` or `house`.',
    subject: 'The id of whom or what it was done to.',
    label: 'What that is called, where it is no person.',
  },
  connections: {
    service: 'A marketplace or a carrier.',
    is_name_given: 'By a person here; otherwise the name is of the service.',
    credentials: 'Sealed JSON; null once disconnected.',
    push_secret: 'Sealed secret of its subscriptions there.',
    renewing_since: 'When the renewal under way began; null when there is none.',
    refused_what:
      'What was refused: the access, its renewal or the permission; null while nothing is.',
    refused_at: 'When it was refused first.',
    refusals: 'How often since then, refusals of the same few minutes counting once.',
    state_message: 'What is wrong and what to do, in Spanish; null when all is well.',
  },
  streams: {
    watermark: 'Largest change time of a finished pass; the next one starts an overlap before it.',
    position: 'The pass under way: where it stands and the window it walks; null between passes.',
    pass_pages: 'Pages of the pass under way, over all its runs.',
    pass_items: 'Rows that the pass under way has read.',
    pass_total: 'Rows of the whole pass, as the service counts them; null = it counts none.',
    page_limit: 'Rows that a page of it is asked to have; null = as many as its stream says.',
  },
  sync_runs: {
    slot: 'Its number modulo how many are kept of each stream.',
    begun_at: 'A run that stopped goes on: its next part has the same beginning.',
    reason: 'Why it stopped, in Spanish; null = it did not.',
  },
  unreadable_items: {
    digest: 'Hash of the raw text: the same rubbish twice is one row.',
    box: 'Its document, sealed; empty = it is not kept.',
    window_from: 'Where the window begins in which it was met first; null = it has no beginning.',
  },
  orders: {
    newest_first:
      'Minus the epoch milliseconds of date_created: ascending = newest first, so one tuple pages every list.',
    changed_at:
      "The source's own change time, null where it has none; with fetched_at the order's version.",
    list_json:
      'The public order of lists, and of the detail, without last_updated (and without status_history).',
    is_buyer_forgotten: 'The buyer asked for it: no name and no document is kept again.',
    annotation:
      'What others than the marketplace know of it, beside what it said itself, as JSON; null = nothing.',
    representation:
      "Which version of the public fields, and of the connectors' reading, it was rendered by.",
    documented_at: 'The stamps of the changes that came with a document; the oldest first.',
    told_at:
      'The stamp of the last change that its source reported; null = stored before this was kept.',
  },
  rerenderings: {
    representation: 'To which version.',
    marketplace: 'The last order that was looked at, by primary key.',
    total: 'The orders that there were at the beginning; null = not counted yet.',
    changed: 'Those that say something else now.',
    undocumented:
      'Those without a document that could be read alone: they were rendered from what is stored.',
    unreadable: 'Those whose document cannot be read any more.',
    due_at: 'When the next step is due.',
  },
  data_keys: {
    box: 'Sealed with the master key.',
  },
  order_documents: {
    recorded_at:
      'The stamp of the first document that was in it; where `stamps` was null once, of the last.',
    order_ids: 'Whose document is at the same place.',
    stamps: 'The stamp of the change that it came with; null = its orders do not know of it yet.',
    documents: 'Texts, compressed and sealed.',
    is_plain: "Not compressed: moved from an order's row.",
    is_sealed:
      "Encrypted with the organisation's data key; what is not was kept by a former version.",
    is_loose: 'So small that it is packed with its neighbours.',
    replaced_at: 'Since when it holds a document that a newer one replaced; null = it holds none.',
  },
  stock_levels: {
    available: 'Null = without limit.',
    updated_at: 'When what it says changed last.',
    search_text: 'SKU and title as they are searched: lower case, without accents.',
    seen_at: 'When a pass or a notification saw it last.',
    missing_since:
      'When a whole pass first did not show it; pages shift, so one pass proves nothing.',
    gone_at: 'Since when the marketplace no longer has it.',
  },
  balances: {
    service: 'A marketplace or a carrier.',
    balance: 'Of prepaid accounts.',
    releases: 'When pending money becomes available: JSON of `{at, amount}`.',
    changed_at: 'When an amount changed last.',
  },
  settlements: {
    listed_at:
      'Its position in lists: when it was paid, else when its period ends, else when it was first seen.',
  },
  invoice_documents: {
    xml: 'As received, as a former version kept it; null once it is sealed.',
    xml_box: 'As received, compressed and sealed.',
    xml_digest: 'A keyed digest of the XML, by which a reading that says the same is known.',
    xml_bytes: 'Of the XML, where it is sealed.',
    recorded_at: 'When it changed last.',
    type: '`ingreso`, `egreso`, …, and until its XML was read `desconocido`.',
    status: 'As the SAT has it; `desconocido` where it was never asked.',
    read_failure: 'Why its XML could not be read, in Spanish.',
    listed_at: 'Its position in lists: when it was issued, else when it was first seen.',
  },
  sales_days: {
    storefront:
      'The marketplace that the order came through, where a shop only mirrors it; else empty.',
    orders: 'With a total.',
    refunds: 'Given back so far, whenever it was.',
    undated_refunds: 'Of these: without a date.',
  },
  paquetexpress_shipments: {
    raw: "The carrier's document, as a former version kept it; null once it is sealed.",
    raw_box: "The carrier's document, compressed and sealed.",
    raw_digest: 'A keyed digest of the document, by which a reading that says the same is known.',
  },
  shipments: {
    carrier_status: 'The native state, raw.',
    raw: "The carrier's document, as a former version kept it; null once it is sealed.",
    raw_box: "The carrier's document, compressed and sealed.",
    is_return: 'It brings goods back to the seller.',
    parent_id: 'The shipment of the same account that it follows, stored or not.',
    origin: 'JSON of a place.',
    packages: 'JSON lists.',
    order_marketplace: 'The order that it was found to carry; null = none, or not one alone.',
    updated_at: 'When anything that it says changed last.',
  },
  shipment_events: {
    seq: 'Order of arrival, for events of one instant.',
    shipment_id: 'Null = its shipment is not known yet.',
    receipt_id: 'The receipt of the push that brought it; null = it was asked for.',
  },
  shipments_to_settle: {
    account_ids: 'As many as `shipment_ids`: the accounts of these.',
  },
  carrier_receipts: {
    linked: 'Whether the event joined a shipment that was known.',
  },
  shipment_relations: {
    value: "An order's id, pack or tag, as it was given to the carrier.",
  },
  order_relations: {
    kind: '`pack` or `tag`.',
  },
  sku_equivalences: {
    account_id: 'Empty = every account of the marketplace.',
  },
  logistics_settings: {
    settings: 'JSON.',
  },
  warehouse_lines: {
    parcel: '`order:…` or `pack:…`.',
    destination: 'JSON of an address; null = not given yet.',
    tracking_source: '`guide` or `manual`.',
    carrier_shipment_id: 'The shipment at Zipnova that was set on its way.',
  },
  warehouse_line_orders: {
    items: 'JSON lists.',
  },
  warehouse_actions: {
    line_id: 'Null = about the whole warehouse.',
    details: 'JSON.',
  },
  guide_batches: {
    fingerprint: 'Keyed hash of what was asked for.',
    overrides: 'JSON of a former version; sealed by the housekeeping.',
    account_id:
      "The carrier's own id of the account that was asked for; null = as the settings say.",
  },
  guide_batch_lines: {
    outcome: 'Null = not done yet.',
  },
  guide_attempts: {
    seq: 'Order of arrival.',
    reference: 'By it the carrier finds the guide again.',
    request: 'JSON of the request as it was sent.',
    cancelled_at: 'The guide was taken back before collection.',
  },
  receipts: {
    pushes:
      "How many pushes this row counts: those beyond a connection's budget are counted and not kept.",
  },
  schedules: {
    claimed_at: "Null = never yet: a connection's first run.",
    planned_at:
      'When the due time was set, by the clock of the process that did; null = by an older release.',
    setbacks: 'Runs in a row that got no answer.',
  },
  connect_attempts: {
    verifier: 'Sealed PKCE verifier.',
  },
  sessions: {
    token: 'SHA-256 in hex of the token in the cookie.',
    expires_at: 'The end however it is used.',
    last_seen_at: 'By our clock, to the minute; null until it was first used.',
    factor_used_at: 'By our clock; null until this session used a second factor.',
    password_given_at: 'By our clock; null until the password was typed inside this session.',
  },
  credentials: {
    password: 'Argon2id with its parameters.',
  },
  second_factors: {
    secret: 'Encrypted by better-auth under a version that names the key.',
  },
  sign_in_failures: {
    key: 'Of an account, or of an account and a browser.',
  },
  oauth_records: {
    model: 'What kind of thing of the authorization server it is.',
    id: 'The SHA-256 in hex of what is secret.',
    payload: 'JSON, as the server gave it, without the secret.',
  },
  agent_calls: {
    seq: 'Order of arrival.',
    outcome: '`ok`, or the code of the failure.',
  },
  oauth_keys: {
    box: 'Sealed JSON.',
  },
};
