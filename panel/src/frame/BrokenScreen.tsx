import { words } from '../words.ts';

/**
 * In place of a screen that cannot be shown: its file did not arrive, as without a network or after
 * an update of the product, or it failed while it was drawn. Neither is repaired without a new page.
 */
export function BrokenScreen() {
  return (
    <section className="screen">
      <h1>{words.frame.broken}</h1>
      <p role="alert">{words.frame.brokenHelp}</p>
      <p>
        <button className="button" type="button" onClick={() => location.reload()}>
          {words.frame.reload}
        </button>
      </p>
    </section>
  );
}
