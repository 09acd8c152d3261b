import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Tokens of o200k in a text; words that steer a model are text like any other. */
export function tokensOf(text: string): number {
  return countTokens(text, { disallowedSpecial: new Set() });
}
