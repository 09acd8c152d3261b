/**
 * A session stores how it was opened and when it last proved a factor. Sessions from before this
 * migration have proved none. A suspended passkey neither signs in nor counts as a second factor.
 */
export const sql = `
alter table sessions
  add column opened_by text not null default 'password'
    check (opened_by in ('password', 'code', 'backup_code', 'passkey')),
  /* When this session last used a one-time code, a backup code or a passkey, by our clock. */
  add column factor_used_at timestamptz,
  /* When the password was last typed inside this session, by our clock. */
  add column password_given_at timestamptz;

alter table passkeys add column suspended_at timestamptz;
`;
