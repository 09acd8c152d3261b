import { type RefObject, useState } from 'react';
import type { Output } from '../../client.ts';
import { countText } from '../../format.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { ImportProgress } from '../../parts/ImportProgress.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useOpener } from '../../parts/use-opener.ts';
import { Age, When } from '../../parts/When.tsx';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { AccountBadge } from './AccountBadge.tsx';
import { CheckOrders } from './CheckOrders.tsx';
import { LastRuns } from './LastRuns.tsx';
import { NameForm } from './NameForm.tsx';
import { SetAside } from './SetAside.tsx';
import { naming, pausing, readText } from './words.ts';

type Overview = Output<'connections.overview'>['data'][number];
type Stream = Overview['streams'][number];

interface AccountProps {
  readonly account: Overview;
  /** Its first imports under way. */
  readonly imports: Output<'connections.imports'>['data'];
  readonly serviceName: string;
  /** Whether its orders can be compared with a list of the service. */
  readonly hasOrders: boolean;
  readonly onReconnect: () => void;
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
      <Acts
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

interface ActsProps extends Omit<AccountProps, 'imports'> {
  /** Null = never. */
  readonly lastSyncAt: string | null;
  /** The button that opens the form of the name. */
  readonly renamer: RefObject<HTMLButtonElement | null>;
  readonly onRename: () => void;
}

function Acts({ account, serviceName, hasOrders, lastSyncAt, ...on }: ActsProps) {
  const { onReconnect, renamer, onRename } = on;
  const { connections } = words;
  const operations = useFrame().data?.operations ?? [];
  const mayConnect = operations.includes('connections.connect');
  const [isAsking, setAsking] = useState(false);
  const sync = useChange('connections.sync-soon');
  const pause = useChange('connections.pause');
  const disconnect = useChange('connections.disconnect');
  const isPaused = account.state === 'paused';
  const isRead = !isPaused && account.state !== 'reauth_required';
  const syncSoon = () => sync.mutate({ connection_id: account.id });
  const setPaused = () => pause.mutate({ connection_id: account.id, is_paused: !isPaused });
  if (account.state === 'disconnected')
    return (
      <>
        {disconnect.data?.webhooks_left && (
          <p className="note note-warn" role="status">
            {connections.webhooksLeft(serviceName)}
          </p>
        )}
        {mayConnect && (
          <p className="acts">
            <button className="link-button" type="button" onClick={onReconnect}>
              {connections.reconnect}
            </button>
          </p>
        )}
      </>
    );
  return (
    <>
      <p className="acts">
        {account.state === 'reauth_required' && mayConnect && (
          <button className="button" type="button" onClick={onReconnect}>
            {connections.reconnect}
          </button>
        )}
        {isRead && operations.includes('connections.sync-soon') && (
          <BusyButton className="link-button" isBusy={sync.isPending} onClick={syncSoon}>
            {sync.isSuccess ? connections.syncing : connections.syncNow}
          </BusyButton>
        )}
        {operations.includes('connections.pause') && (
          <BusyButton className="link-button" isBusy={pause.isPending} onClick={setPaused}>
            {pauseWord(isPaused, pause.isPending)}
          </BusyButton>
        )}
        {hasOrders && isRead && operations.includes('connections.check-orders') && (
          <CheckOrders
            connectionId={account.id}
            service={account.service}
            accountId={account.account_id}
            accountName={account.name}
            serviceName={serviceName}
          />
        )}
        <LastRuns
          connectionId={account.id}
          accountName={account.name}
          serviceName={serviceName}
          lastSyncAt={lastSyncAt}
        />
        {operations.includes('connections.rename') && (
          <button ref={renamer} className="link-button" type="button" onClick={onRename}>
            {naming.open}
          </button>
        )}
        <button className="link-button danger" type="button" onClick={() => setAsking(true)}>
          {connections.disconnect}
        </button>
      </p>
      {sync.error && (
        <FailureNote failure={sync.error} title={connections.notSynced} onAgain={syncSoon} />
      )}
      {pause.error && (
        <FailureNote
          failure={pause.error}
          title={isPaused ? pausing.notResumed : pausing.notPaused}
          onAgain={setPaused}
        />
      )}
      {disconnect.error && (
        <FailureNote
          failure={disconnect.error}
          title={connections.notDisconnected}
          onAgain={() => disconnect.mutate({ connection_id: account.id })}
        />
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={connections.disconnectTitle(serviceName, account.name)}
        action={connections.disconnect}
        onClose={() => setAsking(false)}
        onConfirm={() => disconnect.mutate({ connection_id: account.id })}
      >
        <p>{connections.disconnectLoses}</p>
        <p>{connections.disconnectKeeps}</p>
      </ConfirmDialog>
    </>
  );
}

function pauseWord(isPaused: boolean, isPending: boolean): string {
  if (isPending) return isPaused ? pausing.resuming : pausing.pausing;
  return isPaused ? pausing.resume : pausing.pause;
}
