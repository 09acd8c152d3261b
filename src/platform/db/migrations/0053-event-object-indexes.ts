/** The event log of one object: what an event is about stands in its data, by its type. */
export const indexes = {
  events_logged_of_object: `events (organization_id, (coalesce(data::jsonb ->> 'id',
    data::jsonb ->> 'uuid', data::jsonb ->> 'item_id', data::jsonb ->> 'line_id',
    data::jsonb ->> 'endpoint_id')), logged_at) where logged_at is not null`,
};
