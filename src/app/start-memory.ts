/** The first requests do not wait for it. */
const AFTER_MS = 1_000;

/**
 * Gives back what the start left: garbage, and a young generation grown to 64 MB, which V8 keeps
 * otherwise. It takes 0.2 s, once, a second after the start. Nothing happens without `--expose-gc`;
 * what it saves is in docs/bench.md.
 */
export function releaseStartMemory(): void {
  const release = () =>
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setTimeout(release, AFTER_MS).unref();
}
