/** The event log, and its events of one type. */
export const indexes = {
  events_logged: 'events (organization_id, logged_at) where logged_at is not null',
  events_logged_of_type: 'events (organization_id, type, logged_at) where logged_at is not null',
};
