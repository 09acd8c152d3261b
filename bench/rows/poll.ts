import { loadBeside } from '../beside.ts';
import { get, openLine } from '../load.ts';
import { type Finding, median, type Stand } from '../stand.ts';

/** P3: what pollers send most, the question whether anything is new when nothing is. */
export async function poll(stand: Stand): Promise<Finding[]> {
  const { key } = stand.set.big;
  const line = openLine(stand.instance.port);
  const { body } = await line.ask(get('/v1/orders?limit=1', key));
  line.close();
  const since = JSON.parse(body).meta.as_of;
  const { ratios, figure, spending } = await loadBeside(stand, await stand.peer('hello'), {
    instance: get(`/v1/orders?updated_since=${since}`, key),
    peer: get('/', key),
    connections: 16,
  });
  return [
    {
      row: 'P3',
      what: 'delta poll with nothing new, 16 connections',
      figure,
      ratios,
      bar: '≥ 0.35',
      passes: median(ratios) >= 0.35,
      limit: spending,
    },
  ];
}
