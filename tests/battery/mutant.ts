/**
 * Deliberately broken variants of the product: a patch of `tests/mutants`, and the test that must
 * catch it.
 */
export interface Mutant {
  /** Names the patch, without its ending. */
  readonly patch: string;
  /** What is broken, as a sentence. */
  readonly breaks: string;
  readonly file: string;
  /** The beginning of the test's name. */
  readonly test: string;
  /** What the test says when it is caught; any other failure would prove nothing. */
  readonly says: RegExp;
  readonly needsRedis?: true;
  readonly needsCitus?: true;
  readonly needsSdk?: true;
}
