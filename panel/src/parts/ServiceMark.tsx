/** A letter mark of our own and the name; no logos. */
export function ServiceMark({ name }: { name: string }) {
  const letters = name
    .split(' ')
    .map((word) => word[0])
    .join('')
    .slice(0, 2)
    .toUpperCase();
  return (
    <span className="service">
      <span className="mark" aria-hidden="true">
        {letters}
      </span>
      {name}
    </span>
  );
}
