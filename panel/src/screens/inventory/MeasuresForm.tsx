import type { FormEvent } from 'react';
import type { Output } from '../../client.ts';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange } from '../../queries.ts';
import { words as common } from '../../words.ts';
import { inventoryWords as words } from './words.ts';

type Name = keyof typeof words.fields;
const NAMES = Object.keys(words.fields) as Name[];

/** What one piece weighs and measures, packed. */
export function MeasuresForm({ data }: { data: Output<'inventory.get'> }) {
  const known = Object.fromEntries(
    NAMES.map((name) => [name, data.measures?.[name]?.toString() ?? '']),
  ) as Record<Name, string>;
  const { values, set, clear, isChanged } = useDraft(`measures:${data.sku}`, known);
  const save = useChange('products.change', { onRefreshed: clear });
  const isBeside = NAMES.some((name) => name === save.error?.param);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    // What no channel lists has no title yet.
    const named = data.title !== '' && { title: data.title };
    save.mutate({ sku: data.sku, ...named, ...values });
  };
  return (
    <form onSubmit={send} noValidate>
      <p className="faint">{words.measuresHint}</p>
      <div className="field-row">
        {NAMES.map((name) => (
          <Field
            key={name}
            label={words.fields[name]}
            value={values[name]}
            onChange={(value) => set(name, value)}
            fault={save.error?.param === name ? save.error.message : null}
          />
        ))}
      </div>
      <SaveRow
        label={common.parts.save}
        done={words.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged}
        failure={isBeside ? null : save.error}
        onAgain={send}
      />
    </form>
  );
}
