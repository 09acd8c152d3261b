/**
 * A letter mark of our own and the name; no logos.
 *
 * @param of the name of the service, where `name` has more than that
 */
export function ServiceMark({ name, of = name }: { name: string; of?: string }) {
  return (
    <span className="service">
      <Mark name={of} />
      {name}
    </span>
  );
}

/** The mark alone, where there is no room for the name. */
export function ServiceLetters({ name }: { name: string }) {
  return (
    <span title={name}>
      <Mark name={name} />
      <span className="unseen">{name}</span>
    </span>
  );
}

function Mark({ name }: { name: string }) {
  const [first = '', second] = name.split(' ');
  const letters = second ? `${first[0]}${second[0]}` : first.slice(0, 2);
  return (
    <span className="mark" aria-hidden="true">
      {letters}
    </span>
  );
}
