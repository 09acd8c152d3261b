import { useEffect, useState } from 'react';
import type { Input } from '../../client.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { ConfirmDialog } from '../../parts/ConfirmDialog.tsx';
import { CopyButton } from '../../parts/CopyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useChange } from '../../queries.ts';
import { connecting } from './words.ts';

interface EventAddressProps {
  readonly service: string;
  readonly name: string;
  /** It is shown at once where there is one. */
  readonly isMade: boolean;
}

/** The address that the seller gives to a carrier, with a mail that asks for it. */
export function EventAddress({ service, name, isMade }: EventAddressProps) {
  const carrier = service as Input<'connections.event-address'>['carrier'];
  const ask = useChange('connections.event-address');
  const [isAsking, setAsking] = useState(false);
  const { mutate } = ask;
  useEffect(() => {
    if (isMade) mutate({ carrier });
  }, [isMade, mutate, carrier]);
  const address = ask.data?.address;
  if (ask.error)
    return <FailureNote failure={ask.error} onAgain={() => mutate(ask.variables ?? { carrier })} />;
  if (!address)
    return (
      <>
        <p>{connecting.addressWhy(name)}</p>
        <BusyButton className="button" isBusy={ask.isPending} onClick={() => mutate({ carrier })}>
          {connecting.showAddress}
        </BusyButton>
      </>
    );
  return (
    <>
      <p>{connecting.addressWhy(name)}</p>
      <p className="address">
        <code>{address}</code>
      </p>
      <p className="acts">
        <CopyButton className="button" text={address} label={connecting.copyAddress} />
        <CopyButton
          className="button quiet"
          text={connecting.mail(address)}
          label={connecting.copyMail}
        />
        <button className="link-button danger" type="button" onClick={() => setAsking(true)}>
          {connecting.rotate}
        </button>
      </p>
      <ConfirmDialog
        isOpen={isAsking}
        title={connecting.rotateTitle}
        action={connecting.rotate}
        onClose={() => setAsking(false)}
        onConfirm={() => mutate({ carrier, rotate: true })}
      >
        <p>{connecting.rotateText(name)}</p>
      </ConfirmDialog>
    </>
  );
}
