import { useEffect, useState } from 'react';
import type { Input } from '../../client.ts';
import { useRead } from '../../queries.ts';
import { queries } from '../../query-client.ts';

type Kind = Input<'warehouse.job'>['kind'];

const AGAIN_EVERY_MS = 700;

/** Follows a job that asks a carrier until it ends; then the screen is fetched again. */
export function useJob(kind: Kind) {
  const [jobId, setJobId] = useState<string | null>(null);
  const [isOver, setOver] = useState(false);
  const { data, error } = useRead(
    'warehouse.job',
    { kind, job_id: jobId ?? '' },
    { isEnabled: jobId !== null, ...(!isOver && { againEveryMs: AGAIN_EVERY_MS }) },
  );
  const hasEnded = error !== null || (data !== undefined && data.state !== 'waiting');
  useEffect(() => {
    if (!hasEnded || isOver) return;
    setOver(true);
    void queries.invalidateQueries({
      predicate: ({ queryKey: [name] }) => name !== 'warehouse.job',
    });
  }, [hasEnded, isOver]);
  const follow = (id: string) => {
    setOver(false);
    setJobId(id);
  };
  return { follow, isRunning: jobId !== null && !hasEnded, result: data, error };
}
