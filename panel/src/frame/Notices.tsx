import type { Output } from '../client.ts';
import { BusyButton } from '../parts/BusyButton.tsx';
import { FailureNote, signInAddress } from '../parts/FailureNote.tsx';
import { PanelLink } from '../parts/PanelLink.tsx';
import { useChange } from '../queries.ts';
import { sampleWords } from '../sample-words.ts';
import { words } from '../words.ts';

/** What holds for every screen: samples, a lost connection, an ended session, or the end of the trial. */
export function Notices({
  frame,
  isOffline,
  isSignedOut,
}: {
  frame: Output<'frame.read'> | undefined;
  isOffline: boolean;
  isSignedOut: boolean;
}) {
  const settings = frame?.navigation.find(({ place }) => place === 'settings');
  return (
    <>
      {frame?.organization.is_sample && <SampleNotice />}
      <div role="status">
        {isOffline && <p className="notice">{words.frame.offline}</p>}
        {isSignedOut && <SignedOutNotice />}
      </div>
      {frame?.organization.is_trial_over && (
        <p className="notice">
          {words.frame.trialOver}{' '}
          {settings && <PanelLink address={settings.address}>{words.frame.plans}</PanelLink>}
        </p>
      )}
    </>
  );
}

/** The link comes back to the screen that is open when it is followed. */
function SignedOutNotice() {
  return (
    <p className="notice">
      {words.frame.signedOut}{' '}
      <a
        href={signInAddress()}
        onClick={({ currentTarget }) => {
          currentTarget.href = signInAddress();
        }}
      >
        {words.failures.signIn}
      </a>
    </p>
  );
}

/** One click removes the samples; nothing of them can be lost. */
function SampleNotice() {
  const remove = useChange('samples.remove', {
    onSuccess: () => location.assign('/panel'),
    isLeaving: true,
  });
  const isGoing = remove.isPending || remove.isSuccess;
  return (
    <>
      <p className="notice">
        {sampleWords.notice}{' '}
        <BusyButton className="link-button" isBusy={isGoing} onClick={() => remove.mutate({})}>
          {isGoing ? sampleWords.removing : sampleWords.remove}
        </BusyButton>
      </p>
      {remove.error && (
        <FailureNote
          failure={remove.error}
          title={sampleWords.notRemoved}
          onAgain={() => remove.mutate({})}
        />
      )}
    </>
  );
}
