import type { CallFailure } from '../client.ts';
import { words } from '../words.ts';
import { CopyButton } from './CopyButton.tsx';

/** What went wrong, with the id of the request for support, and the way to go on. */
export function FailureNote({
  failure,
  onAgain,
  title = words.failures.title,
}: {
  failure: CallFailure;
  onAgain: () => void;
  title?: string;
}) {
  const { code, message, requestId } = failure;
  const back = encodeURIComponent(location.pathname + location.search);
  return (
    <div className="failure" role="alert">
      <h2>{code === 'organization_suspended' ? words.failures.suspended : title}</h2>
      <p>{message}</p>
      {code === 'session_required' ? (
        <a className="button" href={`/entrar?volver=${back}`}>
          {words.failures.signIn}
        </a>
      ) : code === 'organization_suspended' ? (
        <a className="button" href="/cuenta">
          {words.frame.account}
        </a>
      ) : (
        <button className="button" type="button" onClick={onAgain}>
          {words.failures.again}
        </button>
      )}
      {requestId && (
        <p className="faint">
          {words.failures.request} <code>{requestId}</code> <CopyButton text={requestId} />
        </p>
      )}
    </div>
  );
}
