import { type RefObject, useState } from 'react';
import type { Output } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { CheckOrders } from './CheckOrders.tsx';
import { LastRuns } from './LastRuns.tsx';
import { naming, pausing } from './words.ts';

const { connections } = words;

type Overview = Output<'connections.overview'>['data'][number];

export interface ActsProps {
  readonly account: Overview;
  readonly serviceName: string;
  /** Whether its orders can be compared with a list of the service. */
  readonly hasOrders: boolean;
  /** Null = never. */
  readonly lastSyncAt: string | null;
  /** The button that opens the form of the name. */
  readonly renamer: RefObject<HTMLButtonElement | null>;
  readonly onReconnect: () => void;
  readonly onRename: () => void;
}

/** What can be done with an account, and what of it failed. */
export function AccountActs(props: ActsProps) {
  const { account, serviceName, hasOrders, lastSyncAt, onReconnect, renamer, onRename } = props;
  const operations = useFrame().data?.operations ?? [];
  const mayConnect = operations.includes('connections.connect');
  const [isAsking, setAsking] = useState(false);
  const changes = useChanges(account);
  const { sync, pause, disconnect, isPaused, isRead } = changes;
  if (account.state === 'disconnected')
    return (
      <Disconnected
        serviceName={serviceName}
        hasWebhooksLeft={disconnect.data?.webhooks_left ?? false}
        onReconnect={mayConnect ? onReconnect : undefined}
      />
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
          <BusyButton className="link-button" isBusy={sync.isPending} onClick={changes.syncSoon}>
            {sync.isSuccess ? connections.syncing : connections.syncNow}
          </BusyButton>
        )}
        {operations.includes('connections.pause') && (
          <BusyButton className="link-button" isBusy={pause.isPending} onClick={changes.turnPause}>
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
      <Failures of={changes} />
      <ConfirmDialog
        isOpen={isAsking}
        title={connections.disconnectTitle(serviceName, account.name)}
        action={connections.disconnect}
        onClose={() => setAsking(false)}
        onConfirm={changes.end}
      >
        <p>{connections.disconnectLoses}</p>
        <p>{connections.disconnectKeeps}</p>
      </ConfirmDialog>
    </>
  );
}

/** The changes of the sync runs of an account. */
function useChanges({ id, state }: Overview) {
  const sync = useChange('connections.sync-soon');
  const pause = useChange('connections.pause');
  const disconnect = useChange('connections.disconnect');
  const isPaused = state === 'paused';
  return {
    sync,
    pause,
    disconnect,
    isPaused,
    isRead: !isPaused && state !== 'reauth_required',
    syncSoon: () => sync.mutate({ connection_id: id }),
    turnPause: () => pause.mutate({ connection_id: id, is_paused: !isPaused }),
    end: () => disconnect.mutate({ connection_id: id }),
  };
}

interface DisconnectedProps {
  readonly serviceName: string;
  /** Webhooks of ours are left at the service. */
  readonly hasWebhooksLeft: boolean;
  /** Undefined = the person may not. */
  readonly onReconnect: (() => void) | undefined;
}

function Disconnected({ serviceName, hasWebhooksLeft, onReconnect }: DisconnectedProps) {
  return (
    <>
      {hasWebhooksLeft && (
        <p className="note note-warn" role="status">
          {connections.webhooksLeft(serviceName)}
        </p>
      )}
      {onReconnect && (
        <p className="acts">
          <button className="link-button" type="button" onClick={onReconnect}>
            {connections.reconnect}
          </button>
        </p>
      )}
    </>
  );
}

function Failures({ of }: { of: ReturnType<typeof useChanges> }) {
  const { sync, pause, disconnect, isPaused } = of;
  return (
    <>
      {sync.error && (
        <FailureNote failure={sync.error} title={connections.notSynced} onAgain={of.syncSoon} />
      )}
      {pause.error && (
        <FailureNote
          failure={pause.error}
          title={isPaused ? pausing.notResumed : pausing.notPaused}
          onAgain={of.turnPause}
        />
      )}
      {disconnect.error && (
        <FailureNote
          failure={disconnect.error}
          title={connections.notDisconnected}
          onAgain={of.end}
        />
      )}
    </>
  );
}

function pauseWord(isPaused: boolean, isPending: boolean): string {
  if (isPending) return isPaused ? pausing.resuming : pausing.pausing;
  return isPaused ? pausing.resume : pausing.pause;
}
