import { type CallFailure, organizationId } from '../client.ts';
import { words } from '../words.ts';
import { CopyButton } from './CopyButton.tsx';

interface WayOn {
  readonly title?: string;
  readonly label: string;
  /** @param back the address of this screen, encoded */
  readonly address: (back: string) => string;
}

const { failures, frame } = words;
const signInFor = (back: string) => `/entrar?volver=${back}`;
/** What another page repairs; every other call may be tried again, but for a lack of rights. */
const WAYS_ON: Readonly<Record<string, WayOn>> = {
  session_required: { label: failures.signIn, address: signInFor },
  organization_suspended: {
    title: failures.suspended,
    label: frame.account,
    address: () => '/cuenta',
  },
  trial_ended: { label: frame.plans, address: () => `/panel/${organizationId}/ajustes` },
  confirmation_required: {
    title: failures.factor,
    label: failures.confirm,
    address: (back) => `/cuenta/confirmar?volver=${back}`,
  },
  second_factor_required: {
    title: failures.noFactor,
    label: failures.enrol,
    address: (back) => `/cuenta/segundo-paso?volver=${back}`,
  },
};

/** What went wrong, with the id of the request for support, and the way to go on. */
export function FailureNote({
  failure,
  onAgain,
  title = failures.title,
}: {
  failure: CallFailure;
  /** Absent = the form around it has a button that tries again. */
  onAgain?: () => void;
  title?: string;
}) {
  const { code, message, requestId } = failure;
  const way = WAYS_ON[code];
  return (
    <div className="failure" role="alert">
      <h2>{way?.title ?? title}</h2>
      <p>{message}</p>
      {way ? (
        <WayOnLink way={way} />
      ) : (
        onAgain &&
        code !== 'insufficient_role' && (
          <button className="button" type="button" onClick={onAgain}>
            {failures.again}
          </button>
        )
      )}
      {requestId && (
        <p className="faint">
          {failures.request} <code>{requestId}</code> <CopyButton text={requestId} />
        </p>
      )}
    </div>
  );
}

/** What the session lacks of the second factor. */
type FactorLack = 'none_enrolled' | 'not_used';

/** The page that repairs it. @param back the address to come back to */
export function factorAddress(lack: FactorLack, back: string): string {
  return wayOf(lack).address(encodeURIComponent(back));
}

function wayOf(lack: FactorLack): WayOn {
  const code = lack === 'not_used' ? 'confirmation_required' : 'second_factor_required';
  return WAYS_ON[code] as WayOn;
}

/** The way to the second factor, before an act that needs it in this session. */
export function FactorNote({ lack, message }: { lack: FactorLack; message: string }) {
  const way = wayOf(lack);
  return (
    <div className="failure" role="alert">
      <h2>{way.title}</h2>
      <p>{message}</p>
      <WayOnLink way={way} />
    </div>
  );
}

function WayOnLink({ way }: { way: WayOn }) {
  return (
    <a className="button" href={way.address(backHere())}>
      {way.label}
    </a>
  );
}

/** Where a person signs in anew and comes back to this screen. */
export function signInAddress(): string {
  return signInFor(backHere());
}

function backHere(): string {
  return encodeURIComponent(location.pathname + location.search);
}
