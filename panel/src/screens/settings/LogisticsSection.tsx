import type { FormEvent } from 'react';
import { originFields } from '../../address-words.ts';
import type { Input, Output } from '../../client.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { guideFields, guideValues, settingsWords } from './words.ts';

type Logistics = Output<'logistics.read'>;
type Part = 'origin' | 'guide';

/** The collection address and the ten defaults of a guide. */
export function LogisticsSection() {
  const { data, error, refetch } = useRead('logistics.read', {});
  return (
    <section className="part" aria-labelledby="logistics" aria-busy={!data && !error}>
      <h2 id="logistics">{settingsWords.logistics.title}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.parts.loading}</p>}
      {data && (
        <>
          <p className="faint">{settingsWords.logistics.carrier(carrierOf(data))}</p>
          <PartForm part="origin" labels={originFields} known={data.origin ?? {}} />
          <PartForm part="guide" labels={guideFields} known={data.guide} />
        </>
      )}
    </section>
  );
}

function carrierOf({ carrier, carriers }: Logistics): string {
  return carriers.find((one) => one.carrier === carrier)?.name ?? carrier;
}

interface PartProps {
  readonly part: Part;
  readonly labels: Readonly<Record<string, string>>;
  readonly known: Readonly<Record<string, string | null>>;
}

function PartForm({ part, labels, known }: PartProps) {
  const names = Object.keys(labels);
  const shown = Object.fromEntries(names.map((name) => [name, known[name] ?? '']));
  const { values, set, clear, isChanged } = useDraft(`logistics:${part}`, shown);
  const save = useChange('logistics.change', { onRefreshed: clear });
  const prefix = `settings.${part}.`;
  const faulty = save.error?.param?.startsWith(prefix) ? save.error.param.slice(prefix.length) : '';
  const isBeside = faulty in labels;
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    const given = part === 'origin' ? { ...values, email: values.email || null } : values;
    save.mutate({ [part]: given } as Input<'logistics.change'>);
  };
  return (
    <form onSubmit={send} noValidate>
      <h3>{settingsWords.logistics[part]}</h3>
      <p className="faint">{settingsWords.logistics.hints[part]}</p>
      <div className="field-pairs">
        {names.map((name) => (
          <Field
            key={name}
            label={labels[name] ?? name}
            value={values[name] ?? ''}
            choices={choicesOf(part, name)}
            onChange={(value) => set(name, value)}
            fault={
              faulty === name ? settingsWords.logistics.fault(save.error?.message ?? '') : null
            }
          />
        ))}
      </div>
      <SaveRow
        label={settingsWords.logistics.save[part]}
        done={words.parts.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged}
        failure={isBeside ? null : save.error}
        onAgain={send}
      />
    </form>
  );
}

function choicesOf(part: Part, name: string) {
  const values = part === 'guide' ? guideValues[name] : undefined;
  return values && Object.entries(values).map(([value, label]) => ({ value, label }));
}
