import type { FormEvent } from 'react';
import { originFields } from '../../address-words.ts';
import type { Input, Output } from '../../client.ts';
import { ConflictNote, savedNow } from '../../parts/ConflictNote.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useFormDraft } from '../../parts/use-form-draft.ts';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { GuideAccountForm } from './GuideAccountForm.tsx';
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
          <PartForm
            part="origin"
            labels={originFields}
            known={data.origin ?? {}}
            version={data.versions?.origin}
          />
          <GuideAccountForm logistics={data} />
          <PartForm
            part="guide"
            labels={guideFields}
            known={data.guide}
            version={data.versions?.guide}
          />
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
  readonly version: string | undefined;
}

function PartForm({ part, labels, known, version }: PartProps) {
  const names = Object.keys(labels);
  const shown: Readonly<Record<string, string>> = Object.fromEntries(
    names.map((name) => [name, known[name] ?? '']),
  );
  const draft = useFormDraft(`logistics:${part}`, shown, version, 'logistics.change');
  const { values, set, clear, isChanged, isStale, begun, save, failure } = draft;
  const prefix = `settings.${part}.`;
  const faulty = failure?.param?.startsWith(prefix) ? failure.param.slice(prefix.length) : '';
  const isBeside = faulty in labels;
  const send = (of: string | undefined) => {
    const given = part === 'origin' ? { ...values, email: values.email || null } : values;
    save.mutate({ [part]: given, ...(of && { version: of }) } as Input<'logistics.change'>);
  };
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send(begun);
      }}
      noValidate
    >
      {isStale && isChanged && <ConflictNote onKeep={() => send(version)} onDiscard={clear} />}
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
            hint={isStale && values[name] !== shown[name] ? savedOf(part, name, shown) : undefined}
            fault={faulty === name ? settingsWords.logistics.fault(failure?.message ?? '') : null}
          />
        ))}
      </div>
      <SaveRow
        label={settingsWords.logistics.save[part]}
        done={words.parts.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || isStale}
        failure={isBeside ? null : failure}
      />
    </form>
  );
}

function savedOf(part: Part, name: string, shown: Readonly<Record<string, string>>): string {
  const value = shown[name] ?? '';
  return savedNow(choicesOf(part, name)?.find((one) => one.value === value)?.label ?? value);
}

function choicesOf(part: Part, name: string) {
  const values = part === 'guide' ? guideValues[name] : undefined;
  return values && Object.entries(values).map(([value, label]) => ({ value, label }));
}
