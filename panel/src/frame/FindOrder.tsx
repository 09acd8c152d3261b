import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { words } from '../words.ts';
import { useMay } from './use-frame.ts';

/** A folio fiscal. */
const FOLIO = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Finds orders by what the seller has at hand, and a CFDI by its folio; `/` focuses it. */
export function FindOrder() {
  const navigate = useNavigate();
  const hasCfdis = useMay('cfdis.get');
  const { pathname, search } = useLocation();
  const found = pathname.endsWith('/ordenes') ? (search.buscar ?? '') : '';
  const box = useRef<HTMLInputElement>(null);
  // It shows the search whose answer is on the screen, and is empty once that is left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed goes with its screen
  useEffect(() => {
    if (box.current) box.current.value = found;
  }, [found, pathname]);
  return (
    <form
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        const buscar = String(new FormData(event.currentTarget).get('text') ?? '').trim();
        if (hasCfdis && FOLIO.test(buscar)) {
          event.currentTarget.reset();
          void navigate({ to: '/facturas', search: { folio: buscar.toUpperCase() } });
        } else if (buscar !== '') void navigate({ to: '/ordenes', search: { buscar } });
      }}
    >
      <input
        ref={box}
        id="find-order"
        name="text"
        type="search"
        aria-label={words.frame.find}
        aria-describedby="find-hint"
        placeholder={words.orders.search}
        autoComplete="off"
        maxLength={200}
      />
      <p id="find-hint">{words.frame.findHint}</p>
    </form>
  );
}
