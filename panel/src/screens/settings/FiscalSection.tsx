import type { FormEvent } from 'react';
import type { Input, Output } from '../../client.ts';
import { ConflictNote, savedNow } from '../../parts/ConflictNote.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useFormDraft } from '../../parts/use-form-draft.ts';
import { useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { fiscalWords, persons } from './words.ts';

type Profile = Output<'fiscal-profile.read'>;
type Change = Input<'fiscal-profile.change'>;

const FIELDS = ['rfcs', 'person', 'regime'] as const;
const BORDER = { general: fiscalWords.vat.general, border: fiscalWords.vat.border };

/** Whose CFDI are the organisation's own, and what is withheld of it. */
export function FiscalSection({ mayChange }: { mayChange: boolean }) {
  const { data, error, refetch } = useRead('fiscal-profile.read', {});
  return (
    <section
      className="part"
      id="datos-fiscales"
      aria-labelledby="fiscal"
      aria-busy={!data && !error}
    >
      <h2 id="fiscal">{fiscalWords.title}</h2>
      {error && <FailureNote failure={error} onAgain={() => void refetch()} />}
      {!data && !error && <p role="status">{words.parts.loading}</p>}
      {data && (mayChange ? <FiscalForm profile={data} /> : <Facts profile={data} />)}
    </section>
  );
}

function FiscalForm({ profile }: { profile: Profile }) {
  const saved = {
    rfcs: profile.rfcs.join(', '),
    person: profile.person ?? '',
    regime: profile.regime ?? '',
    vat: profile.has_border_vat ? 'border' : 'general',
  };
  const draft = useFormDraft('fiscal', saved, profile.version, 'fiscal-profile.change');
  const { values, set, clear, isChanged, isStale, begun, save, failure } = draft;
  const faultOf = (name: (typeof FIELDS)[number]) =>
    failure?.param === name ? failure.message : null;
  const savedOf = (name: keyof typeof saved, labels: Readonly<Record<string, string>> = {}) =>
    isStale && values[name] !== saved[name]
      ? savedNow(labels[saved[name]] ?? saved[name])
      : undefined;
  const isBeside = FIELDS.some((name) => faultOf(name) !== null);
  const send = (version: string | undefined) =>
    save.mutate({
      rfcs: values.rfcs.split(/[\s,;]+/).filter((rfc) => rfc !== ''),
      person: (values.person || null) as Change['person'],
      regime: values.regime || null,
      has_border_vat: values.vat === 'border',
      ...(version && { version }),
    });
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send(begun);
      }}
      noValidate
    >
      {isStale && isChanged && (
        <ConflictNote onKeep={() => send(profile.version)} onDiscard={clear} />
      )}
      <p className="faint">{fiscalWords.intro}</p>
      <Field
        label={fiscalWords.rfcs}
        hint={savedOf('rfcs') ?? fiscalWords.rfcsHint}
        value={values.rfcs}
        onChange={(value) => set('rfcs', value)}
        fault={faultOf('rfcs')}
      />
      <div className="field-pairs">
        <Field
          label={fiscalWords.person}
          choices={choicesOf({ '': fiscalWords.unknown, ...persons })}
          value={values.person}
          hint={savedOf('person', persons)}
          onChange={(value) => set('person', value)}
          fault={faultOf('person')}
        />
        <Field
          label={fiscalWords.vat.title}
          choices={choicesOf(BORDER)}
          value={values.vat}
          hint={savedOf('vat', BORDER)}
          onChange={(value) => set('vat', value)}
        />
      </div>
      <Field
        label={fiscalWords.regime}
        choices={regimesFor(profile, values.person, values.regime)}
        value={values.regime}
        hint={savedOf('regime')}
        onChange={(value) => set('regime', value)}
        fault={faultOf('regime')}
      />
      <SaveRow
        label={fiscalWords.save}
        done={fiscalWords.saved(save.data?.redirected ?? 0)}
        isSending={save.isPending}
        isDone={save.isSuccess && !isChanged}
        isDisabled={!isChanged || isStale}
        failure={isBeside ? null : failure}
      />
    </form>
  );
}

/** For roles that see the money and do not change the organisation. */
function Facts({
  profile: { rfcs, person, regime, regimes, has_border_vat },
}: {
  profile: Profile;
}) {
  const name = regimes.find(({ code }) => code === regime)?.name;
  return (
    <dl className="pairs">
      <dt>{fiscalWords.rfcs}</dt>
      <dd>{rfcs.length === 0 ? fiscalWords.unknown : rfcs.join(', ')}</dd>
      <dt>{fiscalWords.person}</dt>
      <dd>{person ? persons[person] : fiscalWords.unknown}</dd>
      <dt>{fiscalWords.regime}</dt>
      <dd>{regime ? `${regime} ${name ?? ''}`.trim() : fiscalWords.unknown}</dd>
      <dt>{fiscalWords.vat.title}</dt>
      <dd>{has_border_vat ? BORDER.border : BORDER.general}</dd>
    </dl>
  );
}

/** Those of the person, and the one that is chosen already. */
function regimesFor({ regimes }: Profile, person: string, chosen: string) {
  const fitting = regimes.filter(
    ({ code, persons: of }) => person === '' || code === chosen || of.some((one) => one === person),
  );
  return [
    { value: '', label: fiscalWords.unknown },
    ...fitting.map(({ code, name }) => ({ value: code, label: `${code} ${name}` })),
  ];
}

function choicesOf(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
