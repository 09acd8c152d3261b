import type { Handle } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

const STATES = statement<{ service: string; state: string; count: number }>(
  'connections.states',
  `select c.service,
          case when c.paused_at is not null then 'paused'
               when c.state = 'ok' and main.last_sync_at <= late.since then 'delayed'
               else c.state end as state,
          count(*) as count
     from connections c
     left join unnest($1::text[], $2::text[], $3::timestamptz[]) as late (service, stream, since)
       on late.service = c.service
     left join streams main
       on main.organization_id = c.organization_id and main.connection_id = c.id
          and main.stream = late.stream
    where c.disconnected_at is null group by 1, 2`,
);

/** Of all organisations. @param late of each service its main stream, and when its run is late */
export function states(
  handle: Handle,
  late: readonly { readonly service: string; readonly stream: string; readonly since: Instant }[],
): Promise<{ service: string; state: string; count: number }[]> {
  return handle.raw(STATES, [
    late.map(({ service }) => service),
    late.map(({ stream }) => stream),
    late.map(({ since }) => since.toString()),
  ]);
}
