import { useRouter } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import { organizationId } from '../client.ts';

const PANEL = `/panel/${organizationId}`;

/** A link to an address of the navigation: inside the panel without loading a page. */
export function PanelLink({
  address,
  ...rest
}: { address: string } & Omit<ComponentProps<'a'>, 'href'>) {
  const router = useRouter();
  const isOurs = address === PANEL || address.startsWith(`${PANEL}/`);
  return (
    <a
      {...rest}
      href={address}
      onClick={(event) => {
        const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
        if (!isOurs || !isPlain) return;
        event.preventDefault();
        router.history.push(address, { isWithin: true });
      }}
    />
  );
}
