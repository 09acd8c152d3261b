import type { Output } from '../../client.ts';
import { ConflictNote, savedNow } from '../../parts/ConflictNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useFormDraft } from '../../parts/use-form-draft.ts';
import { words } from '../../words.ts';
import { settingsWords } from './words.ts';

type Logistics = Output<'logistics.read'>;

/** The account that makes guides where there are several, or one was chosen. */
export function GuideAccountForm({ logistics }: { logistics: Logistics }) {
  const choices = choicesOf(logistics);
  const isOffered = choices.length > 2 || Boolean(logistics.account?.id);
  return isOffered ? <AccountForm logistics={logistics} choices={choices} /> : null;
}

interface AccountFormProps {
  readonly logistics: Logistics;
  readonly choices: ReturnType<typeof choicesOf>;
}

function AccountForm({ logistics, choices }: AccountFormProps) {
  const saved = { id: logistics.account?.id ?? '' };
  const version = logistics.versions.account;
  const draft = useFormDraft('logistics:account', saved, version, 'logistics.change');
  const { values, set, clear, isChanged, isStale, begun, save, failure } = draft;
  const send = (of: string | undefined) =>
    save.mutate({ account: { id: values.id || null }, ...(of && { version: of }) });
  const labelOf = (id: string) => choices.find(({ value }) => value === id)?.label;
  const isDiffering = isStale && isChanged;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send(begun);
      }}
    >
      {isDiffering && <ConflictNote onKeep={() => send(version)} onDiscard={clear} />}
      <Field
        label={settingsWords.logistics.account}
        hint={isDiffering ? savedNow(labelOf(saved.id)) : settingsWords.logistics.hints.account}
        choices={choices}
        value={values.id}
        onChange={(value) => set('id', value)}
      />
      <SaveRow
        label={settingsWords.logistics.save.account}
        done={words.parts.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || isStale}
        failure={failure}
      />
    </form>
  );
}

/** A process of the former release tells no accounts. */
function choicesOf({ accounts = [], account }: Logistics) {
  const { askEachTime, notConnected } = settingsWords.logistics;
  const connected = accounts.map(({ id, name }) => ({ value: id, label: name }));
  const kept = account?.id ?? null;
  const isKnown = kept === null || connected.some(({ value }) => value === kept);
  return [
    { value: '', label: askEachTime },
    ...connected,
    ...(isKnown ? [] : [{ value: kept, label: notConnected(kept) }]),
  ];
}
