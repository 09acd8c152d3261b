/** Ranks texts for a question by plain BM25, best first. */
export function rankedBy(question: string, texts: ReadonlyMap<string, string>): string[] {
  const documents = [...texts].map(([name, text]) => ({ name, words: wordsOf(text) }));
  const usual = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length;
  const scoreOf = (words: readonly string[]) =>
    wordsOf(question).reduce((sum, word) => {
      const holding = documents.filter((each) => each.words.includes(word)).length;
      const rarity = Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5));
      const times = words.filter((each) => each === word).length;
      const weight = times + SATURATION * (1 - LENGTH + (LENGTH * words.length) / usual);
      return sum + (rarity * times * (SATURATION + 1)) / weight;
    }, 0);
  return documents
    .map(({ name, words }) => ({ name, score: scoreOf(words) }))
    .sort((a, b) => b.score - a.score)
    .map(({ name }) => name);
}

const [SATURATION, LENGTH] = [1.2, 0.75];

/** Without accents and plurals; `get_order` is two words. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/(?<=\w{3})e?s$/, ''));
}
