import type { FormEvent } from 'react';
import type { Output } from '../../client.ts';
import { ConflictNote, savedNow } from '../../parts/ConflictNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useFormDraft } from '../../parts/use-form-draft.ts';
import { words as common } from '../../words.ts';
import { inventoryWords as words } from './words.ts';

type Name = keyof typeof words.fields;
const NAMES = Object.keys(words.fields) as Name[];

/** What one unit weighs and measures, packed. */
export function MeasuresForm({ data }: { data: Output<'inventory.get'> }) {
  const known = Object.fromEntries(
    NAMES.map((name) => [name, data.measures?.[name]?.toString() ?? '']),
  ) as Record<Name, string>;
  const draft = useFormDraft(`measures:${data.sku}`, known, data.version, 'products.change');
  const { values, set, clear, isChanged, isStale, begun, save, failure } = draft;
  const isBeside = NAMES.some((name) => name === failure?.param);
  const send = (version: string | undefined) => {
    // What no channel lists has no title yet.
    const named = data.title !== '' && { title: data.title };
    save.mutate({ sku: data.sku, ...named, ...values, ...(version && { version }) });
  };
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send(begun);
      }}
      noValidate
    >
      {isStale && isChanged && <ConflictNote onKeep={() => send(data.version)} onDiscard={clear} />}
      <p className="faint">{words.measuresHint}</p>
      <div className="field-row">
        {NAMES.map((name) => (
          <Field
            key={name}
            label={words.fields[name]}
            value={values[name]}
            onChange={(value) => set(name, value)}
            hint={isStale && values[name] !== known[name] ? savedNow(known[name]) : undefined}
            fault={failure?.param === name ? failure.message : null}
          />
        ))}
      </div>
      <SaveRow
        label={common.parts.save}
        done={words.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || isStale}
        failure={isBeside ? null : failure}
      />
    </form>
  );
}
