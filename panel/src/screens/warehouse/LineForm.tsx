import { type FormEvent, useState } from 'react';
import { destinationFields } from '../../address-words.ts';
import type { CallFailure, Input, Output } from '../../client.ts';
import { ConflictNote, savedNow } from '../../parts/ConflictNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useFormDraft } from '../../parts/use-form-draft.ts';
import { words } from '../../words.ts';
import { formWords, warehouseWords } from './words.ts';

type Line = Output<'lines.get'>['data'];
type Fields = Readonly<Record<string, string>>;

const DESTINATION = Object.keys(destinationFields) as (keyof typeof destinationFields)[];
const TRACKING = ['tracking_number', 'carrier'] as const;

/** Edits a line; what is typed stays when another person changed the line meanwhile. */
export function LineForm({ line }: { line: Line }) {
  const saved = fieldsOf(line);
  const draft = useFormDraft(`line:${line.line_id}`, saved, line.version, 'lines.edit');
  const { values, isStale, isChanged, begun, save, failure } = draft;
  const [packagesFault, setPackagesFault] = useState(false);
  const send = (version: string) => {
    const isWrong = !/^\d{1,4}$/.test(values.packages ?? '');
    setPackagesFault(isWrong);
    if (isWrong) return;
    const edit = editOf(values, saved);
    save.mutate({ line_id: line.line_id, version, ...edit });
  };
  const field = (name: string, label: string, hint?: string) => (
    <Field
      key={name}
      label={label}
      value={values[name] ?? ''}
      onChange={(value) => draft.set(name, value)}
      hint={isStale && values[name] !== saved[name] ? savedNow(saved[name]) : hint}
      fault={faultOf(name, failure, packagesFault)}
    />
  );
  return (
    <form
      className="line-form"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send(begun ?? line.version);
      }}
    >
      {isStale && isChanged && (
        <ConflictNote
          text={formWords.changed}
          onKeep={() => send(line.version)}
          onDiscard={draft.clear}
        />
      )}
      <h3>{formWords.parcel}</h3>
      {field('packages', warehouseWords.packages)}
      <h3>{formWords.destination}</h3>
      <div className="field-pairs">
        {DESTINATION.map((name) => field(name, destinationFields[name]))}
      </div>
      <h3>{formWords.tracking}</h3>
      <div className="field-pairs">
        {field('tracking_number', warehouseWords.tracking, formWords.trackingHint)}
        {field('tracking_carrier', formWords.carrier)}
      </div>
      <SaveRow
        label={formWords.save}
        done={words.parts.saved}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || isStale}
        failure={failure && !isBeside(failure) ? failure : null}
      />
    </form>
  );
}

function fieldsOf(line: Line): Fields {
  const { destination, tracking_number, carrier } = line;
  const typed = DESTINATION.map((name) => [name, destination?.[name] ?? '']);
  return {
    ...Object.fromEntries(typed),
    packages: String(line.packages),
    tracking_number: tracking_number ?? '',
    tracking_carrier: tracking_number === null ? '' : (carrier ?? ''),
  };
}

type Edit = Omit<Input<'lines.edit'>, 'line_id' | 'version'>;

/** What differs from what is saved; an address is sent whole. */
function editOf(values: Fields, saved: Fields): Edit {
  const differs = (names: readonly string[]) => names.some((name) => values[name] !== saved[name]);
  const destination = Object.fromEntries(DESTINATION.map((name) => [name, values[name] ?? '']));
  const { tracking_number = '', tracking_carrier = '' } = values;
  const isNone = tracking_number.trim() === '';
  return {
    ...(differs(['packages']) && { packages: Number(values.packages) }),
    ...(differs(DESTINATION) && {
      destination: { ...destination, email: destination.email?.trim() || null },
    }),
    ...(differs(['tracking_number', 'tracking_carrier']) && {
      tracking: isNone ? null : { tracking_number, carrier: tracking_carrier },
    }),
  };
}

function faultOf(
  name: string,
  failure: CallFailure | null,
  isPackagesWrong: boolean,
): string | null {
  if (name === 'packages' && isPackagesWrong) return formWords.packagesFault;
  return failure && fieldAtFault(failure) === name ? formWords.fault(failure.message) : null;
}

function isBeside(failure: CallFailure): boolean {
  const name = fieldAtFault(failure);
  return name === 'packages' || name.startsWith('tracking_') || name in destinationFields;
}

/** The form's name of the field that the server refused; «» = none. */
function fieldAtFault({ code, param }: CallFailure): string {
  if (code === 'tracking_number_in_use') return 'tracking_number';
  const name = param?.replace(/^destination\./, '') ?? '';
  return name === TRACKING[1] ? 'tracking_carrier' : name;
}
