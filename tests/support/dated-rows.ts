interface DatedRow {
  /** Statements, with `:org`, `:id` and `:at` for values. */
  readonly insert: string;
  /** Absent = the name of the row. */
  readonly table?: string;
}

/**
 * A row whose time is `:at`, for each retention; what is written elsewhere has tests of its own.
 */
export const DATED_ROWS: Readonly<Record<string, DatedRow>> = {
  events: {
    insert: `insert into events (organization_id, id, type, created_at, data) values (:org, :id, 'order.updated', :at, '{}')`,
  },
  receipts: {
    insert: `insert into receipts (organization_id, id, connection_id, source, received_at, body)
      values (:org, :id, :org, 'shopify', :at, '{}')`,
  },
  carrier_receipts: {
    insert: `insert into carrier_receipts (organization_id, id, carrier, received_at, tracking_number, code, occurred_at, linked, duplicate, payload_hash)
      values (:org, :id, 'paquetexpress', :at, 'R', 'ENT', :at, false, false, '')`,
  },
  shipment_events: {
    insert: `insert into shipment_events (organization_id, carrier, tracking_number, code, occurred_at, source, recorded_at)
      values (:org, 'paquetexpress', :id, 'ENT', :at, 'webhook', :at)`,
  },
  acts: {
    insert: `insert into acts (organization_id, at, act, done_by) values (:org, :at, 'key_created', 'operator')`,
  },
  agent_calls: {
    insert: `insert into agent_calls (organization_id, grant_id, person_id, client_id, tool, at, duration_ms, row_count, outcome)
      values (:org, 'g', :id, 'c', 'list_orders', :at, 1, 1, 'ok')`,
  },
  request_counts: {
    insert: `insert into request_counts (organization_id, minute, caller_kind, caller_id, admitted, refused)
      values (:org, :at, 'key', :id, 1, 0)`,
  },
  oauth_records: {
    insert: `insert into oauth_records (model, id, payload, expires_at) values ('AccessToken', :id, '{}', :at)`,
  },
  connect_attempts: {
    insert: `insert into connect_attempts (organization_id, state_hash, service, verifier, expires_at)
      values (:org, :id, 'shopify', '', :at)`,
  },
  unreadable_items: {
    insert: `insert into unreadable_items (organization_id, connection_id, stream, digest, reason, box, first_seen_at, last_seen_at)
      values (:org, :org, 'orders', :id, '', '', :at, :at)`,
  },
  alerts: {
    insert: `insert into alerts (organization_id, kind, subject, message, first_at, last_at, resolved_at)
      values (:org, 'stream', :id, '', :at, :at, :at)`,
  },
  balance_history: {
    insert: `insert into balance_history (organization_id, service, account_id, purse, currency, as_of)
      values (:org, 'amazon', 'A', 'p', 'MXN', :at)`,
  },
  movements: {
    insert: `insert into movements (organization_id, marketplace, account_id, report, key, revision, is_correction, connection_id, kind, amount, currency, at, native_type, is_open, recorded_at)
      values (:org, 'amazon', 'A', 'r', :id, 0, false, :org, 'sale', 1, 'MXN', :at, '', false, :at)`,
  },
  ledger_orders: {
    insert: `insert into ledger_orders (organization_id, marketplace, account_id, order_id, changed_at)
      values (:org, 'amazon', 'A', :id, :at)`,
  },
  findings: {
    insert: `insert into findings (organization_id, id, marketplace, account_id, kind, subject, state, amount, currency, since, found_at, changed_at)
      values (:org, :id, 'amazon', 'A', 'order_unpaid', :id, 'resolved', 1, 'MXN', :at, :at, :at)`,
  },
  stock_levels: {
    insert: `insert into stock_levels (organization_id, marketplace, account_id, item_id, warehouse, connection_id, title, unavailable, updated_at, seen_at, gone_at)
      values (:org, 'amazon', 'A', :id, 'seller', :org, '', 0, :at, :at, :at)`,
  },
  'stock_history, of what is gone': {
    table: 'stock_history',
    insert: `insert into stock_history (organization_id, marketplace, account_id, item_id, variation_id, warehouse, at, unavailable, is_gone)
      values (:org, 'amazon', 'A', :id, '', 'seller', :at, 0, true)`,
  },
  warehouse_lines: line('transferred'),
  'warehouse_lines, cancelled': line('cancelled'),
  warehouse_actions: {
    insert: `insert into warehouse_actions (organization_id, actor_kind, actor_id, actor_role, action, at, details)
      values (:org, 'person', :id, 'admin', 'edit', :at, '{}')`,
  },
  guide_batches: {
    insert: `insert into guide_batches (organization_id, id, idempotency_key, fingerprint, overrides, actor_kind, actor_id, actor_role, requested_at)
        values (:org, :id, :id, '', '{}', 'person', '', 'admin', :at);
      insert into guide_batch_lines (organization_id, batch_id, position, line_id) values (:org, :id, 1, :id)`,
  },
  'labels of guide_attempts': {
    table: 'guide_attempts',
    insert: `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, currency, zpl, queued_at, settled_at)
      values (:org, :id, :id, :id, :id, 'ok', 'paquetexpress', 'MXN', '^XA', :at, :at)`,
  },
  'labels of guide_attempts, sealed': {
    table: 'guide_attempts',
    insert: `insert into guide_attempts (organization_id, id, line_id, batch_id, reference, state, carrier, currency, zpl_box, pdf_box, queued_at, settled_at)
      values (:org, :id, :id, :id, :id, 'ok', 'paquetexpress', 'MXN', 'box', 'box', :at, :at)`,
  },
  used_codes: {
    insert: `insert into people (id, name, email, email_verified, created_at, updated_at) values (:id, '', :id, true, :at, :at);
      insert into used_codes (person_id, code_hash, used_at) values (:id, :id, :at)`,
  },
  sign_in_failures: {
    insert: 'insert into sign_in_failures (key, count, since) values (:id, 1, :at)',
  },
  sign_in_limits: {
    insert: `insert into sign_in_limits (id, key, count, last_request)
      values (:id, :id, 1, extract(epoch from timestamptz :at) * 1000)`,
  },
  sessions: {
    insert: `insert into people (id, name, email, email_verified, created_at, updated_at) values (:id, '', :id, true, :at, :at);
      insert into sessions (id, person_id, token, expires_at, created_at, updated_at) values (:id, :id, :id, :at, :at, :at)`,
  },
  verifications: {
    insert: `insert into verifications (id, identifier, value, expires_at, created_at, updated_at)
      values (:id, :id, '', :at, :at, :at)`,
  },
  invitations: {
    insert: `insert into invitations (organization_id, id, email, role, token_hash, created_at, expires_at)
      values (:org, :id, :id, 'member', :id, :at, :at)`,
  },
  people: {
    insert: `insert into people (id, name, email, created_at, updated_at) values (:id, '', :id, :at, :at)`,
  },
};

function line(state: string): DatedRow {
  return {
    table: 'warehouse_lines',
    insert: `insert into warehouse_lines (organization_id, id, marketplace, account_id, parcel, state, packages, staged_at, updated_at)
       values (:org, :id, 'amazon', 'A', 'order:' || :id, '${state}', 1, :at, :at);
     insert into warehouse_line_orders (organization_id, marketplace, account_id, order_id, line_id, status, items, tags)
       values (:org, 'amazon', 'A', :id, :id, 'paid', '[]', '[]')`,
  };
}
