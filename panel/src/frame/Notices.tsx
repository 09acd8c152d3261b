import type { Output } from '../client.ts';
import { PanelLink } from '../parts/PanelLink.tsx';
import { words } from '../words.ts';

/** What holds for every screen: the connection is lost, or the trial is over. */
export function Notices({
  frame,
  isOffline,
}: {
  frame: Output<'frame.read'> | undefined;
  isOffline: boolean;
}) {
  const settings = frame?.navigation.find(({ place }) => place === 'settings');
  return (
    <>
      <div role="status">{isOffline && <p className="notice">{words.frame.offline}</p>}</div>
      {frame?.organization.is_trial_over && (
        <p className="notice">
          {words.frame.trialOver}{' '}
          {settings && <PanelLink address={settings.address}>{words.frame.plans}</PanelLink>}
        </p>
      )}
    </>
  );
}
