/** Whether a person is at the page: what it asks by itself keeps no session alive. */
const ATTENTION_MS = 60_000;

let actedAt = performance.now();
for (const event of ['pointerdown', 'keydown'] as const)
  addEventListener(
    event,
    () => {
      actedAt = performance.now();
    },
    { capture: true, passive: true },
  );

export function isUnattended(): boolean {
  return document.hidden || performance.now() - actedAt > ATTENTION_MS;
}
