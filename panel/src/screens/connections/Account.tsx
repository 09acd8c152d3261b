import { useState } from 'react';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { ImportProgress } from '../../parts/ImportProgress.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useOpener } from '../../parts/use-opener.ts';
import { Age, When } from '../../parts/When.tsx';
import { words } from '../../words.ts';
import { AccountActs, type ActsProps } from './AccountActs.tsx';
import { AccountBadge } from './AccountBadge.tsx';
import { NameForm } from './NameForm.tsx';
import { SetAside } from './SetAside.tsx';
import { pausing, readText } from './words.ts';

type Stream = ActsProps['account']['streams'][number];

interface AccountProps extends Omit<ActsProps, 'lastSyncAt' | 'renamer' | 'onRename'> {
  /** Its first imports under way. */
  readonly imports: Output<'connections.imports'>['data'];
}

/** A connected account: its state, what was read of it, and what can be done. */
export function Account({ account, imports, ...about }: AccountProps) {
  const { serviceName } = about;
  const { name, account_id, state, state_message, streams } = account;
  const draft = useDraft(`rename:${account.id}`, { name });
  const [isNaming, setNaming] = useState(draft.isChanged);
  const renamer = useOpener(isNaming);
  const close = () => {
    draft.clear();
    setNaming(false);
  };
  const newest = streams
    .flatMap(({ last_sync_at }) => last_sync_at ?? [])
    .toSorted()
    .at(-1);
  return (
    <div className="account">
      {isNaming ? (
        <NameForm account={account} serviceName={serviceName} draft={draft} onClose={close} />
      ) : (
        <p title={account_id}>
          <strong>{name}</strong>
        </p>
      )}
      <p>
        <AccountBadge state={state} isImporting={imports.length > 0} isNew={newest === undefined} />
      </p>
      {state_message && <p>{state_message}</p>}
      {state === 'paused' && <p className="faint">{pausing.note}</p>}
      {state !== 'disconnected' && (
        <p className="faint">
          {words.connections.last}: <Age at={newest ?? null} never={words.connections.never} />
          {/* Of an account that is not read now the age alone says too little. */}
          {newest !== undefined && state !== 'ok' && (
            <>
              {' · '}
              <When at={newest} />
            </>
          )}
        </p>
      )}
      {imports.map((one) => (
        <ImportProgress key={one.stream} of={one} service={serviceName} />
      ))}
      <details>
        <summary>{words.connections.details}</summary>
        <ul className="streams">
          {streams.map((stream) => (
            <StreamLine key={stream.title} stream={stream} />
          ))}
        </ul>
      </details>
      {streams.some(({ set_aside }) => set_aside > 0) && <SetAside connectionId={account.id} />}
      <AccountActs
        account={account}
        {...about}
        lastSyncAt={newest ?? null}
        renamer={renamer}
        onRename={() => setNaming(true)}
      />
    </div>
  );
}

function StreamLine({ stream }: { stream: Stream }) {
  const { connections } = words;
  return (
    <li>
      <span>{stream.title}</span>
      <span className="faint number">
        {readText(stream.stream, countText(stream.items))}
        {stream.is_under_way && ` · ${connections.underWay}`}
        {stream.set_aside > 0 && ` · ${connections.setAside(countText(stream.set_aside))}`}
      </span>
    </li>
  );
}
