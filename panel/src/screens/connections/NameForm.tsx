import type { Output } from '../../client.ts';
import { InlineForm } from '../../parts/InlineForm.tsx';
import type { useDraft } from '../../parts/use-draft.ts';
import { useChange } from '../../queries.ts';
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
    <InlineForm
      label={naming.field}
      value={draft.values.name}
      onChange={(name) => draft.set('name', name)}
      hint={naming.hint(serviceName)}
      isSending={rename.isPending}
      failure={rename.error}
      onSave={() => rename.mutate({ connection_id: account.id, name: draft.values.name })}
      onClose={onClose}
    />
  );
}
