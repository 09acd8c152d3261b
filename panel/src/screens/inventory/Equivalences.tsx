import { type FormEvent, useState } from 'react';
import type { Input, Output } from '../../client.ts';
import { AccountName } from '../../parts/AccountName.tsx';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useServices } from '../../parts/use-services.ts';
import { useChange } from '../../queries.ts';
import { words as common } from '../../words.ts';
import { inventoryWords as words } from './words.ts';

type Sku = Output<'inventory.get'>;
type Equivalence = Sku['codes'][number];

/** The codes that stand for a product, each to remove, and a form for one more. */
export function Equivalences({ data, mayChange }: { data: Sku; mayChange: boolean }) {
  const { nameOf } = useServices();
  const remove = useChange('products.remove-equivalence');
  /** Which one the dialog asks about; null = none. */
  const [asked, setAsked] = useState<Equivalence | null>(null);
  const drop = ({ units: _, account_id, ...rest }: Equivalence) =>
    remove.mutate({ ...rest, ...(account_id !== null && { account_id }) });
  return (
    <>
      <p className="faint">
        {data.codes.length === 0 ? words.noEquivalences : words.equivalencesHint}
      </p>
      <ul className="items">
        {data.codes.map((one) => (
          <li key={`${one.marketplace} ${one.account_id} ${one.code}`}>
            <div>
              <code>{one.code}</code>
              <span className="faint">
                {nameOf(one.marketplace)} ·{' '}
                {one.account_id === null ? (
                  words.everyAccount
                ) : (
                  <AccountName service={one.marketplace} id={one.account_id} />
                )}{' '}
                · {words.of(one.units)}
              </span>
            </div>
            {mayChange && (
              <BusyButton
                className="link-button danger"
                aria-label={words.removeNamed(one.code)}
                isBusy={remove.isPending}
                onClick={() => setAsked(one)}
              >
                {words.remove}
              </BusyButton>
            )}
          </li>
        ))}
      </ul>
      {remove.error && (
        <FailureNote
          failure={remove.error}
          title={common.failures.notSaved}
          onAgain={() => remove.variables && remove.mutate(remove.variables)}
        />
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        title={words.removeTitle(asked?.code ?? '')}
        action={words.remove}
        onClose={() => setAsked(null)}
        onConfirm={() => asked && drop(asked)}
      >
        <p>{words.removeLoses}</p>
      </ConfirmDialog>
      {mayChange && <AddForm sku={data.sku} />}
    </>
  );
}

const EMPTY = { marketplace: '', code: '', account_id: '', units: '1' };
type Name = keyof typeof EMPTY;

function AddForm({ sku }: { sku: string }) {
  const { marketplaces, nameOf } = useServices();
  const [isOpen, setOpen] = useState(false);
  const { values, set, settle, isChanged } = useDraft(`equivalence:${sku}`, EMPTY);
  const add = useChange('products.add-equivalence', { onRefreshed: settle });
  if (!isOpen)
    return (
      <button type="button" className="link-button" onClick={() => setOpen(true)}>
        {words.add}
      </button>
    );
  const places = marketplaces.map(({ service }) => service);
  const chosen = values.marketplace || (places[0] ?? '');
  const isBeside = add.error?.param !== null && (add.error?.param ?? '') in EMPTY;
  const faultOf = (name: Name) => (add.error?.param === name ? add.error.message : null);
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    const { account_id, units } = values;
    const [code, account] = [values.code.trim(), account_id.trim()];
    add.mutate({
      sku,
      code,
      marketplace: chosen as Input<'products.add-equivalence'>['marketplace'],
      units: Number(units),
      ...(account !== '' && { account_id: account }),
    });
  };
  return (
    <form onSubmit={send} noValidate>
      <div className="field-pairs">
        <Field
          label={words.marketplace}
          value={chosen}
          choices={places.map((place) => ({ value: place, label: nameOf(place) }))}
          onChange={(value) => set('marketplace', value)}
          fault={faultOf('marketplace')}
        />
        {(['code', 'account_id', 'units'] as const).map((name) => (
          <Field
            key={name}
            label={words[name]}
            value={values[name]}
            onChange={(value) => set(name, value)}
            fault={faultOf(name)}
          />
        ))}
      </div>
      <SaveRow
        label={words.add}
        done={words.saved}
        isSending={add.isPending}
        isDone={add.isSuccess && !isChanged}
        isDisabled={values.code.trim() === ''}
        failure={isBeside ? null : add.error}
      />
    </form>
  );
}
