/** Requests with an `Idempotency-Key`, and the type of the event of an attempt. */
export const sql = `
create table idempotent_requests (
  organization_id uuid not null,
  /* The API key. */
  key_id uuid not null,
  /* The header of the request. */
  idempotency_key text collate "C" not null,
  fingerprint text not null,
  /* The answer, sealed: it may hold a secret. Null only inside the transaction that makes it. */
  answer_box bytea,
  made_at timestamptz not null,
  primary key (organization_id, key_id, idempotency_key)
);
create index idempotent_requests_made_at on idempotent_requests (made_at);

alter table webhook_attempts add column event_type text not null default '';
`;
