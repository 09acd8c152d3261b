import { useState } from 'react';
import type { Input, Output } from '../../client.ts';
import { forgetDraft, readDraft, writeDraft } from '../../drafts.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { useChange } from '../../queries.ts';
import { connecting } from './words.ts';

type Form = NonNullable<Output<'connections.ways'>['data'][number]['form']>;
type Fields = Readonly<Record<string, string>>;

interface CredentialFormProps {
  readonly service: Input<'connections.connect'>['service'];
  readonly name: string;
  readonly form: Form;
  readonly onConnected: () => void;
}

/** Typed credentials; what is no secret survives leaving the page. */
export function CredentialForm({ service, name, form, onConnected }: CredentialFormProps) {
  const draft = `conectar ${service}`;
  const [fields, setFields] = useState<Fields>(() => readDraft(draft));
  const connect = useChange('connections.connect', {
    onSuccess({ connected }) {
      if (connected === null) return;
      forgetDraft(draft);
      onConnected();
    },
  });
  const faults = connect.data?.faults ?? [];
  const change = (field: string, value: string) => {
    const next = { ...fields, [field]: value };
    setFields(next);
    const shown = form.fields.filter(({ is_secret }) => !is_secret);
    writeDraft(draft, Object.fromEntries(shown.map((one) => [one.name, next[one.name] ?? ''])));
  };
  const submit = () => connect.mutate({ service, fields });
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p>{form.help}</p>
      {form.fields.map((field) => (
        <Field
          key={field.name}
          label={field.is_optional ? connecting.optional(field.label) : field.label}
          hint={field.hint}
          isSecret={field.is_secret}
          value={fields[field.name] ?? ''}
          fault={faults.find((fault) => fault.field === field.name)?.message ?? null}
          onChange={(value) => change(field.name, value)}
        />
      ))}
      {connect.error && (
        <FailureNote
          failure={connect.error}
          title={connecting.notConnected(name)}
          onAgain={submit}
        />
      )}
      <button className="button" type="submit" disabled={connect.isPending}>
        {connect.isPending ? connecting.trying(name) : connecting.tryAndSave}
      </button>
    </form>
  );
}
