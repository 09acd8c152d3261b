import { useNavigate } from '@tanstack/react-router';
import { words } from '../words.ts';

/** Finds orders by what the seller has at hand, from anywhere; `/` focuses it. */
export function FindOrder() {
  const navigate = useNavigate();
  return (
    <form
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        const buscar = String(new FormData(event.currentTarget).get('text') ?? '').trim();
        if (buscar !== '') void navigate({ to: '/ordenes', search: { buscar } });
      }}
    >
      <input
        id="find-order"
        name="text"
        type="search"
        aria-label={words.frame.find}
        placeholder={words.frame.findHint}
        autoComplete="off"
        maxLength={200}
      />
    </form>
  );
}
