import type { Input, Output } from '../../client.ts';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { settingsWords, timezones } from './words.ts';

type Organization = Output<'frame.read'>['organization'];
const CHOICES = Object.entries(timezones).map(([value, label]) => ({ value, label }));

export function OrganizationForm({
  organization: { name, timezone },
}: {
  organization: Organization;
}) {
  const { values, set, clear, isChanged } = useDraft('organization', { name, timezone });
  const save = useChange('organization.change', { onRefreshed: clear });
  const send = () => save.mutate(values as Input<'organization.change'>);
  const isOfName = save.error?.param === 'name';
  return (
    <form
      className="part"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <h2>{settingsWords.settings.organization}</h2>
      <Field
        label={settingsWords.settings.name}
        value={values.name}
        onChange={(value) => set('name', value)}
        fault={isOfName ? (save.error?.message ?? null) : null}
      />
      <Field
        label={settingsWords.settings.timezone}
        hint={settingsWords.settings.timezoneHint}
        choices={CHOICES}
        value={values.timezone}
        onChange={(value) => set('timezone', value)}
      />
      <SaveRow
        label={words.parts.save}
        done={words.parts.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || values.name.trim() === ''}
        failure={isOfName ? null : save.error}
        onAgain={send}
      />
    </form>
  );
}
