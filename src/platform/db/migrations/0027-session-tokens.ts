/**
 * Sessions are found by the SHA-256 of their token. Those with a token in clear end: their owners
 * sign in again.
 */
export const sql = `
delete from sessions;
comment on column sessions.token is 'SHA-256 in hex of the token in the cookie';
`;
