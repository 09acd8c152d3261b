import { useNavigate } from '@tanstack/react-router';
import { words } from '../words.ts';

/** Finds one order by its id, from anywhere; `/` focuses it. */
export function FindOrder() {
  const navigate = useNavigate();
  return (
    <form
      className="find"
      onSubmit={(event) => {
        event.preventDefault();
        const orden = String(new FormData(event.currentTarget).get('id') ?? '').trim();
        if (orden !== '') void navigate({ to: '/ordenes', search: { orden } });
      }}
    >
      <input
        id="find-order"
        name="id"
        type="search"
        aria-label={words.frame.find}
        placeholder={words.frame.findHint}
        autoComplete="off"
        maxLength={500}
      />
    </form>
  );
}
