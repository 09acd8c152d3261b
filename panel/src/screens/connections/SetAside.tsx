import { useState } from 'react';
import type { Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Age } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { settingAside } from './words.ts';

type Row = Output<'connections.set-aside'>['data'][number];

/** What could not be read of an account, and why; read when it is opened. */
export function SetAside({ connectionId }: { connectionId: string }) {
  const [isOpen, setOpen] = useState(false);
  const input = { connection_id: connectionId };
  const { data, error, refetch } = useRead('connections.set-aside', input, { isEnabled: isOpen });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{settingAside.open}</summary>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!error && !data && <p role="status">{words.parts.loading}</p>}
      {data && (
        <>
          <p className="faint">{settingAside.intro}</p>
          <ul className="items">
            {data.data.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two rows without an id may be alike
              <li key={at}>
                <div>
                  <span>
                    {row.stream}: {row.id ? <code>{row.id}</code> : settingAside.without}
                  </span>
                  <span className="faint">{reasonOf(row)}</span>
                </div>
                <div className="number faint">
                  <Age at={row.last_at} />
                </div>
              </li>
            ))}
          </ul>
          {data.has_more && <p className="faint">{settingAside.more}</p>}
        </>
      )}
    </details>
  );
}

function reasonOf({ field, is_too_large }: Row): string {
  if (is_too_large) return settingAside.tooLarge;
  return field === null ? settingAside.whole : settingAside.field(field);
}
