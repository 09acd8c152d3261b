/**
 * Repeats what failed until it succeeds.
 * @param waitAfter milliseconds until the next attempt, after so many; null = the error is thrown
 */
export async function retry<T>(
  attempt: (number: number) => Promise<T>,
  waitAfter: (error: unknown, attempts: number) => number | null,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await attempt(number);
    } catch (error) {
      const wait = waitAfter(error, number);
      if (wait === null) throw error;
      await sleep(wait);
    }
  }
}
