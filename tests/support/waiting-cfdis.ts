import type { TestApp } from './app.ts';
import { query } from './market.ts';

/** CFDI files of an organisation that wait and that no job reads. */
export function waitingCfdis(instance: TestApp, organizationId: string) {
  return {
    /** @param content of each, as SQL */
    add: (files: number, content: string) =>
      query(
        instance,
        `insert into cfdi_upload_files
           (organization_id, upload_id, place, name_box, size, crc, packed_box, state, asked_at)
         select $1, gen_random_uuid(), 0, '', 0, 0, ${content}, 'waiting', now()
           from generate_series(1, $2::int)`,
        [organizationId, files],
      ),
    remove: () =>
      query(
        instance,
        "delete from cfdi_upload_files where organization_id = $1 and name_box = ''",
        [organizationId],
      ),
  };
}
