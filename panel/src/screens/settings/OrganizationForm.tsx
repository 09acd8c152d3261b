import type { Input, Output } from '../../client.ts';
import { ConflictNote, savedNow } from '../../parts/ConflictNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useFormDraft } from '../../parts/use-form-draft.ts';
import { timezones, words } from '../../words.ts';
import { settingsWords } from './words.ts';

type Organization = Output<'frame.read'>['organization'];
const CHOICES = Object.entries(timezones).map(([value, label]) => ({ value, label }));

export function OrganizationForm({
  organization: { name, timezone, version },
}: {
  organization: Organization;
}) {
  const saved = { name, timezone };
  const draft = useFormDraft('organization', saved, version, 'organization.change');
  const { values, set, clear, isChanged, isStale, begun, save, failure } = draft;
  const send = (of: string | undefined) =>
    save.mutate({ ...values, ...(of && { version: of }) } as Input<'organization.change'>);
  const isOfName = failure?.param === 'name';
  const isDiffering = (field: keyof typeof saved) => isStale && values[field] !== saved[field];
  return (
    <form
      className="part"
      onSubmit={(event) => {
        event.preventDefault();
        send(begun);
      }}
    >
      <h2>{settingsWords.settings.organization}</h2>
      {isStale && isChanged && <ConflictNote onKeep={() => send(version)} onDiscard={clear} />}
      <Field
        label={settingsWords.settings.name}
        hint={isDiffering('name') ? savedNow(name) : undefined}
        value={values.name}
        onChange={(value) => set('name', value)}
        fault={isOfName ? (failure?.message ?? null) : null}
      />
      <Field
        label={settingsWords.settings.timezone}
        hint={
          isDiffering('timezone')
            ? savedNow(timezones[timezone])
            : settingsWords.settings.timezoneHint
        }
        choices={CHOICES}
        value={values.timezone}
        onChange={(value) => set('timezone', value)}
      />
      <SaveRow
        label={words.parts.save}
        done={words.parts.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || isStale || values.name.trim() === ''}
        failure={isOfName ? null : failure}
      />
    </form>
  );
}
