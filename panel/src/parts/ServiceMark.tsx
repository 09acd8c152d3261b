/** A letter mark of our own and the name; no logos. */
export function ServiceMark({ name }: { name: string }) {
  return (
    <span className="service">
      <Mark name={name} />
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
