import { useState } from 'react';
import type { Input, Output } from '../../client.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useChange } from '../../queries.ts';
import { connecting } from './words.ts';

type Form = NonNullable<Output<'connections.ways'>['data'][number]['form']>;
type Fields = Readonly<Record<string, string>>;

interface CredentialFormProps {
  readonly service: Input<'connections.connect'>['service'];
  readonly name: string;
  readonly form: Form;
  /** What the account already has. */
  readonly known: Fields;
  /** Under what is typed is kept. */
  readonly draft: string;
  /** The account that is connected again; null = whichever they belong to. */
  readonly accountId: string | null;
  readonly onConnected: () => void;
}

/** Typed credentials; what is no secret survives leaving the page. */
export function CredentialForm(props: CredentialFormProps) {
  const { service, name, form, known, draft, accountId, onConnected } = props;
  // A process of the former release leaves it out, during an update.
  const { steps = [] } = form;
  const { values, set, clear } = useDraft<Fields>(`connect:${draft}`, known);
  const [secrets, setSecrets] = useState<Fields>({});
  const fields: Fields = { ...values, ...secrets };
  const connect = useChange('connections.connect', {
    onSuccess({ connected }) {
      if (connected === null) return;
      clear();
      onConnected();
    },
  });
  const faults = connect.data?.faults ?? [];
  const change = ({ name: field, is_secret }: Form['fields'][number], value: string) => {
    if (is_secret) setSecrets({ ...secrets, [field]: value });
    else set(field, value);
  };
  const submit = () => connect.mutate({ service, fields, account_id: accountId });
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
      {steps.length > 0 && (
        <ol>
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      )}
      {form.fields.map((field) => (
        <Field
          key={field.name}
          label={field.is_optional ? connecting.optional(field.label) : field.label}
          hint={field.hint}
          isSecret={field.is_secret}
          value={fields[field.name] ?? ''}
          fault={faults.find((fault) => fault.field === field.name)?.message ?? null}
          onChange={(value) => change(field, value)}
        />
      ))}
      {connect.error && (
        <FailureNote failure={connect.error} title={connecting.notConnected(name)} />
      )}
      <BusyButton className="button" type="submit" isBusy={connect.isPending}>
        {connect.isPending ? connecting.trying(name) : connecting.tryAndSave}
      </BusyButton>
    </form>
  );
}
