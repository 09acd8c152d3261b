import { words } from '../words.ts';

export function NoPage() {
  return (
    <section className="screen">
      <h1>{words.frame.noPage}</h1>
    </section>
  );
}
