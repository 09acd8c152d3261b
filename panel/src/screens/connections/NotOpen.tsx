import { notOpenWords as words } from './words.ts';

interface NotOpenProps {
  /** The service that cannot be connected here. */
  readonly name: string;
  /** Null = the operator names none. */
  readonly supportEmail: string | null;
}

/** A service that cannot be connected here, and whom a seller asks for it. */
export function NotOpen({ name, supportEmail }: NotOpenProps) {
  return (
    <div className="faint">
      <p>
        {words.what(name)}{' '}
        {supportEmail === null ? (
          words.askNobody
        ) : (
          <>
            {words.ask} <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
          </>
        )}
      </p>
    </div>
  );
}
