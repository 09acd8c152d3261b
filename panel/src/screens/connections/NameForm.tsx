import type { Output } from '../../client.ts';
import type { useDraft } from '../../parts/use-draft.ts';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { naming } from './words.ts';

interface NameFormProps {
  readonly account: Pick<Output<'connections.overview'>['data'][number], 'id'>;
  readonly serviceName: string;
  readonly draft: ReturnType<typeof useDraft<{ readonly name: string }>>;
  readonly onClose: () => void;
}

/** Gives an account another name. */
export function NameForm({ account, serviceName, draft, onClose }: NameFormProps) {
  const rename = useChange('connections.rename', { onRefreshed: onClose });
  return (
    <form
      className="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate({ connection_id: account.id, name: draft.values.name });
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
        autoFocus
        value={draft.values.name}
        onChange={({ target }) => draft.set('name', target.value)}
        aria-label={naming.field}
        onKeyDown={({ key }) => key === 'Escape' && onClose()}
      />
      <button type="submit" className="button" disabled={rename.isPending}>
        {words.parts.save}
      </button>
      <button type="button" className="button quiet" onClick={onClose}>
        {words.parts.cancel}
      </button>
      {rename.error && (
        <span className="fault" role="alert">
          {rename.error.message}
        </span>
      )}
      <span className="faint">{naming.hint(serviceName)}</span>
    </form>
  );
}
