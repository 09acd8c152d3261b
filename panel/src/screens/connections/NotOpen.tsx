import { notOpenWords as words } from './words.ts';

interface NotOpenProps {
  /** The service that cannot be connected here. */
  readonly name: string;
  /** Null = the operator names none. */
  readonly supportEmail: string | null;
}

/** A service that cannot be connected here: the operator's mail, and the steps for the operator. */
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
      <details>
        <summary>{words.operator}</summary>
        <p>
          {words.register(name)} <code>{words.guide}</code>.
        </p>
      </details>
    </div>
  );
}
